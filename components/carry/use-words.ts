'use client'

import { useLocale } from 'next-intl'
import useSWR from 'swr'
import { isCreditId } from '@/lib/local/credit-id'
import { creditIdToWords } from '@/lib/local/credit-words'

export interface PlacedWord {
  /** From 1; a word may come twice. */
  place: number
  word: string
}

/** The credit_id as twelve words of the page's language; null while its list loads, or for another form. */
export function useWords(creditId: string): readonly PlacedWord[] | null {
  const locale = useLocale()
  const { data } = useSWR(
    isCreditId(creditId) ? (['words', creditId, locale] as const) : null,
    async ([, id, language]) => {
      const words = (await creditIdToWords(id, language)).split(' ')
      return words.map((word, index) => ({ place: index + 1, word }))
    },
    { revalidateOnFocus: false, revalidateIfStale: false },
  )
  return data ?? null
}
