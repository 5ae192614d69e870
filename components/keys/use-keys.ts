'use client'

import useSWR from 'swr'
import { useCreditId } from '@/components/credit/use-credit-id'
import { errorCodeOf } from '@/lib/http/client/call-api'
import type { KeyView } from '@/lib/ledger/client/api-key'
import { listKeys } from '@/lib/ledger/client/list-keys'

/** The keys of this browser's credit; null until they are known. */
export function useKeys() {
  const creditId = useCreditId()
  const { data, error, mutate } = useSWR<KeyView[], unknown, readonly ['keys', string] | null>(
    creditId ? ['keys', creditId] : null,
    ([, credential]) => listKeys(credential),
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
