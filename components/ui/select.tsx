import type { ComponentPropsWithRef } from 'react'
import styles from './control.module.css'

/** The platform's own select: the best one on a phone. */
export function Select({ className, ...rest }: ComponentPropsWithRef<'select'>) {
  return <select {...rest} className={[styles.control, className].filter(Boolean).join(' ')} />
}
