import { useState } from 'react'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'

interface NumberFieldProps {
  label: string
  hint: string
  error: string
  value: number | undefined
  isValid: (value: number) => boolean
  min: number
  max: number
  step: number
  onChange: (value: number | undefined) => void
}

/** A field for an optional number. An invalid entry shows the error and is not stored. */
export function NumberField({ label, hint, error, value, isValid, onChange, ...bounds }: NumberFieldProps) {
  /** The text being typed; null once the field has lost the focus. */
  const [typed, setTyped] = useState<string | null>(null)
  const isRefused = typed !== null && typed !== '' && !isValid(Number(typed))
  return (
    <Field label={label} hint={hint} error={isRefused && error}>
      {control => (
        <TextInput
          {...control}
          {...bounds}
          type="number"
          inputMode="decimal"
          autoComplete="off"
          value={typed ?? value ?? ''}
          onChange={event => {
            const text = event.currentTarget.value
            setTyped(text)
            if (text === '') onChange(undefined)
            else if (isValid(Number(text))) onChange(Number(text))
          }}
          onBlur={() => setTyped(null)}
        />
      )}
    </Field>
  )
}
