import type { ReactNode } from 'react'
import styles from './checkbox.module.css'

interface CheckboxProps {
  checked: boolean
  onChange: (checked: boolean) => void
  title?: string
  className?: string
  /** The label. */
  children: ReactNode
}

/** One of several choices, or a consent, which takes effect with the button below it. */
export function Checkbox({ checked, onChange, title, className = '', children }: CheckboxProps) {
  return (
    <label className={`${styles.row} ${className}`} title={title}>
      <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  )
}
