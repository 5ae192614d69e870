import styles from './skeleton.module.css'

interface SkeletonProps {
  /** About the width of what is awaited (6, 16, 40 characters), so that nothing moves when it arrives. */
  length: 'short' | 'medium' | 'long'
}

/** Holds the place of text that is on its way. Silent: the live region beside it says what happens. */
export function Skeleton({ length }: SkeletonProps) {
  return <span className={`${styles.skeleton} ${styles[length]}`} aria-hidden="true" />
}
