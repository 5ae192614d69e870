import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useTyped } from '@/components/ui/use-typed'

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
  const { typed, shown } = useTyped(value ?? '', text => {
    if (text === '') onChange(undefined)
    else if (isValid(Number(text))) onChange(Number(text))
  })
  const isRefused = typed !== null && typed !== '' && !isValid(Number(typed))
  return (
    <Field label={label} hint={hint} error={isRefused && error}>
      {control => (
        <TextInput {...control} {...bounds} type="number" inputMode="decimal" autoComplete="off" {...shown} />
      )}
    </Field>
  )
}
