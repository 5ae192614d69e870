'use client'

import { useEffect } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useCreditId } from '@/components/credit/use-credit-id'
import { useStore } from '@/components/ui/use-store'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { useLowBalanceThreshold } from './use-threshold'

/** For this visit, whatever page it goes to; a balance that was enough again ends it. */
const dismissedStore = createExternalStore(false)

/** Whether to speak up about the balance. Not while it is unknown: a failure shows zero. */
export function useLowBalance() {
  const creditId = useCreditId()
  const { balanceUsd, loading, error } = useBalance()
  const thresholdUsd = useLowBalanceThreshold()
  const dismissed = useStore(dismissedStore)
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
