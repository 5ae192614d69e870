import { type ChangeEvent, type FocusEvent, useState } from 'react'

interface TypedField<Value> {
  stored: Value
  textOf: (value: Value) => string | number
  /** Undefined for a text that is refused. */
  read: (text: string) => Value | undefined
  store: (value: Value) => void
}

/**
 * For a field whose entries are stored while they are typed: it shows the text as it was typed, and what is stored once
 * it has lost the focus. A refused text leaves what was stored before: the `1` of `1e3` is nothing that anybody wants.
 */
export function useTyped<Value>({ stored, textOf, read, store }: TypedField<Value>) {
  const [typed, setTyped] = useState<{ before: Value; isRefused: boolean; text: string } | null>(null)
  return {
    isRefused: typed?.isRefused ?? false,
    shown: {
      value: typed?.text ?? textOf(stored),
      onChange: ({ currentTarget: { value: text, validity } }: ChangeEvent<HTMLInputElement>) => {
        const before = typed ? typed.before : stored
        // In a field for numbers, what is no number has no text.
        const value = validity.badInput ? undefined : read(text)
        setTyped({ before, isRefused: value === undefined, text })
        if (value !== undefined) store(value)
        else if (stored !== before) store(before)
      },
      onBlur: ({ currentTarget }: FocusEvent<HTMLInputElement>) => {
        // It would stay there: to React the field is as empty as before.
        if (currentTarget.validity.badInput) currentTarget.value = ''
        setTyped(null)
      },
    },
  }
}
