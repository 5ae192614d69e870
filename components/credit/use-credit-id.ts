'use client'

import { useSyncExternalStore } from 'react'
import { creditIdStore } from '@/lib/local/credit-id'

/** The credit_id of this browser; null when there is none, undefined until the page is running. */
export function useCreditId(): string | null | undefined {
  return useSyncExternalStore<string | null | undefined>(
    creditIdStore.subscribe,
    creditIdStore.getSnapshot,
    () => undefined,
  )
}
