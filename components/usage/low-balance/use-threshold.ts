'use client'

import { useSyncExternalStore } from 'react'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { LOW_BALANCE_THRESHOLD_DEFAULT_USD, readLowBalanceThreshold } from './threshold'

/** Dollars; 0 when the notice is turned off. */
export function useLowBalanceThreshold(): number {
  return useSyncExternalStore(
    settingsStore.subscribe,
    readLowBalanceThreshold,
    () => LOW_BALANCE_THRESHOLD_DEFAULT_USD,
  )
}
