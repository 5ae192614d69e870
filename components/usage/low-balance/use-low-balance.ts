'use client'

import { useEffect, useSyncExternalStore } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useCreditId } from '@/components/credit/use-credit-id'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { useLowBalanceThreshold } from './use-threshold'

/** For this visit, whatever page it goes to; a balance that was enough again ends it. */
const dismissedStore = createExternalStore(false)

/** Whether to speak up about the balance. Not while it is unknown: a failure shows zero. */
export function useLowBalance() {
  const creditId = useCreditId()
  const { balanceUsd, loading, error } = useBalance()
  const thresholdUsd = useLowBalanceThreshold()
  const dismissed = useSyncExternalStore(
    dismissedStore.subscribe,
    dismissedStore.getSnapshot,
    dismissedStore.getServerSnapshot,
  )
  const known = Boolean(creditId) && !loading && error === null
  const enough = known && balanceUsd >= thresholdUsd
  useEffect(() => {
    if (enough) dismissedStore.set(false)
  }, [enough])
  return {
    isLow: known && !enough && !dismissed,
    balanceUsd,
    dismiss: () => dismissedStore.set(true),
  }
}
