'use client'

import { useSyncExternalStore } from 'react'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'

/** The API key that an earlier version left in this browser; null when there is none. */
export function useLegacyKey(): string | null {
  return useSyncExternalStore(
    virtualApiKeyStore.subscribe,
    virtualApiKeyStore.getSnapshot,
    virtualApiKeyStore.getServerSnapshot,
  )
}
