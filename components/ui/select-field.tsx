import type { ComponentProps, ReactNode } from 'react'
import { Field } from './field'
import { Select } from './select'

interface SelectFieldProps<Choice extends string | number>
  extends Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> {
  label: string
  hint?: ReactNode
  choices: readonly Choice[]
  /** What the person reads for a choice. */
  nameOf: (choice: Choice) => string
  value: Choice
  onChange: (choice: Choice) => void
}

/** A field whose value is one of a few. */
export function SelectField<Choice extends string | number>(props: SelectFieldProps<Choice>) {
  const { label, hint, choices, nameOf, onChange, ...select } = props
  return (
    <Field label={label} hint={hint}>
      {control => (
        <Select
          {...control}
          {...select}
          onChange={event => {
            const chosen = choices[event.currentTarget.selectedIndex]
            if (chosen !== undefined) onChange(chosen)
          }}
        >
          {choices.map(choice => (
            <option key={choice} value={choice}>
              {nameOf(choice)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
