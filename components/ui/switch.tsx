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
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <label className={styles.row}>
      <span>
        {/* All of the row takes the click, but the hint is not part of the name: it would be heard twice. */}
        <span id={id}>{label}</span>
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
        aria-labelledby={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? hintId : undefined}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    </label>
  )
}
