import type { ComponentPropsWithRef } from 'react'
import styles from './control.module.css'

interface Mono {
  /** For keys, identifiers and words that are compared letter by letter. */
  mono?: boolean
}

export function TextInput({ mono, className, ...rest }: ComponentPropsWithRef<'input'> & Mono) {
  return <input {...rest} className={controlClass(mono, className)} />
}

export function TextArea({ mono, className, ...rest }: ComponentPropsWithRef<'textarea'> & Mono) {
  return <textarea {...rest} className={controlClass(mono, className)} />
}

function controlClass(mono: boolean | undefined, className: string | undefined): string {
  return [styles.control, mono && styles.mono, className].filter(Boolean).join(' ')
}
