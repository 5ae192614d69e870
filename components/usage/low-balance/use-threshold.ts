'use client'

import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { LOW_BALANCE_THRESHOLD_DEFAULT_USD, readLowBalanceThreshold } from './threshold'

const thresholdStore = {
  subscribe: settingsStore.subscribe,
  getSnapshot: readLowBalanceThreshold,
  getServerSnapshot: () => LOW_BALANCE_THRESHOLD_DEFAULT_USD,
}

/** Dollars; 0 when the notice is turned off. */
export function useLowBalanceThreshold(): number {
  return useStore(thresholdStore)
}
