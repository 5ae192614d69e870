import type { ComponentPropsWithRef } from 'react'
import styles from './control.module.css'

interface TextInputProps extends ComponentPropsWithRef<'input'> {
  /** For keys, identifiers and words that are compared letter by letter. */
  mono?: boolean
}

export function TextInput({ mono = false, className, ...rest }: TextInputProps) {
  const classes = [styles.control, mono && styles.mono, className].filter(Boolean).join(' ')
  return <input {...rest} className={classes} />
}
