'use client'

import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import useSWR from 'swr'
import { useCreditId } from '@/components/credit/use-credit-id'
import { fetchKeys } from '@/lib/api/client/keys'
import type { Key } from '@/lib/api/contracts/keys'
import { fetchErrorCode } from '@/lib/http/client/call-api'

export interface NamedKey extends Key {
  /** What to show: the label, or a word in the language of the page if nobody has given it one. */
  readonly name: string
}

/** The API keys of this browser's credit; null until they are loaded. */
export function useKeys() {
  const t = useTranslations('keys')
  const creditId = useCreditId()
  const { data, error, mutate } = useSWR<Key[], unknown, readonly ['keys', string] | null>(
    creditId ? ['keys', creditId] : null,
    ([, credential]) => fetchKeys(credential),
    // Whoever comes back from a tool sees what it has spent.
    { dedupingInterval: 0 },
  )
  const unnamed = t('defaultLabel')
  const keys = useMemo(
    () => data?.map((key): NamedKey => ({ ...key, name: key.label || unnamed })),
    [data, unnamed],
  )
  return {
    keys: keys ?? null,
    errorCode: fetchErrorCode(error),
    reload: async () => {
      await mutate()
    },
  }
}
