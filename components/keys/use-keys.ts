'use client'

import useSWR from 'swr'
import { useCreditId } from '@/components/credit/use-credit-id'
import { fetchKeys } from '@/lib/api/client/keys'
import type { Key } from '@/lib/api/contracts/keys'
import { errorCodeOf } from '@/lib/http/client/call-api'

/** The API keys of this browser's credit; null until they are loaded. */
export function useKeys() {
  const creditId = useCreditId()
  const { data, error, mutate } = useSWR<Key[], unknown, readonly ['keys', string] | null>(
    creditId ? ['keys', creditId] : null,
    ([, credential]) => fetchKeys(credential),
  )
  return {
    creditId,
    keys: data ?? null,
    errorCode: error === undefined ? null : errorCodeOf(error),
    reload: async () => {
      await mutate()
    },
  }
}
