import { type ReactNode, useId } from 'react'
import styles from './switch.module.css'

interface SwitchProps {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

/** A setting that is on or off and takes effect at once. */
export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const hintId = useId()
  return (
    <label className={styles.row}>
      <span>
        {label}
        {hint && (
          <span id={hintId} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
      <input
        type="checkbox"
        role="switch"
        className={styles.input}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? hintId : undefined}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    </label>
  )
}
