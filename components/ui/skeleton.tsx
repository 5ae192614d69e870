import styles from './skeleton.module.css'

interface SkeletonProps {
  /** About the width of the awaited text (6, 16 or 40 characters), so that nothing moves when it loads. */
  length: 'short' | 'medium' | 'long'
}

/**
 * A placeholder for text that is loading. Hidden from screen readers; a live region beside it says what is happening.
 */
export function Skeleton({ length }: SkeletonProps) {
  return <span className={`${styles.skeleton} ${styles[length]}`} aria-hidden="true" />
}
