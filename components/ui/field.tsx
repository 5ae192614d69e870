import { type ReactNode, useId } from 'react'
import styles from './field.module.css'
import text from './text.module.css'

/** The attributes that tie a control to its label, hint and error. */
interface FieldControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface FieldProps {
  label: string
  hint?: ReactNode
  /** Says what is wrong and what to do; announced when it appears. */
  error?: ReactNode
  children: (controlProps: FieldControlProps) => ReactNode
}

/** `<Field label="Amount">{control => <TextInput {...control} />}</Field>` */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = [error && errorId, hint && hintId].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p id={hintId} className={text.hint}>
          {hint}
        </p>
      )}
      <p id={errorId} className={text.smallProblem} role="alert" hidden={!error}>
        {error}
      </p>
    </div>
  )
}
