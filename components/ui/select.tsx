import type { ComponentPropsWithRef } from 'react'
import styles from './control.module.css'

/** The browser's own select, which works best on a phone. */
export function Select({ className, ...rest }: ComponentPropsWithRef<'select'>) {
  return <select {...rest} className={[styles.control, className].filter(Boolean).join(' ')} />
}
