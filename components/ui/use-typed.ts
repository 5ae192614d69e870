import { type ChangeEvent, useState } from 'react'

/**
 * For a field whose entries are stored while they are typed: it shows the text as it was typed, and what is stored once
 * it has lost the focus. `typed` is null from then on.
 */
export function useTyped(stored: string | number, store: (text: string) => void) {
  const [typed, setTyped] = useState<string | null>(null)
  return {
    typed,
    shown: {
      value: typed ?? stored,
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
        setTyped(value)
        store(value)
      },
      onBlur: () => setTyped(null),
    },
  }
}
