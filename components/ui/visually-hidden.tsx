import type { ComponentPropsWithRef, ElementType } from 'react'
import styles from './visually-hidden.module.css'

interface VisuallyHiddenProps extends ComponentPropsWithRef<'span'> {
  as?: ElementType
}

/** Text for screen readers only. */
export function VisuallyHidden({ as: Element = 'span', ...rest }: VisuallyHiddenProps) {
  return <Element {...rest} className={styles.visuallyHidden} />
}
