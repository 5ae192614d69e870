import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useCreditId } from '@/components/credit/use-credit-id'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { ofCredit } from '@/lib/local/credit-id'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { isBalanceLow, useLowBalanceThreshold } from './threshold'

/** Lasts for this visit, over all pages, until the balance has been sufficient again. */
const dismissedStore = createExternalStore(false)

/**
 * The warning that the balance is low. Null if it is not, if it is unknown (a failure shows zero), or if the warning
 * was dismissed.
 */
export function useLowBalance(): { warning: string | null; dismiss: () => void } {
  const t = useTranslations('lowBalance')
  const money = useMoney()
  const creditId = useCreditId()
  const { balanceUsd, loading, error } = useBalance()
  const thresholdUsd = useLowBalanceThreshold()
  const last = ofCredit(useStore(lastBalanceStore), creditId)
  const toppedUpUsd = last?.afterTopUpUsd ?? null
  const isDismissed = useStore(dismissedStore)
  // New money is recorded before the balance shows it.
  const isBehind = last !== null && last.amountUsd > balanceUsd
  const isKnown = Boolean(creditId) && !loading && error === null && !isBehind
  const isLow = isKnown && isBalanceLow(balanceUsd, { thresholdUsd, toppedUpUsd })
  useEffect(() => {
    if (isKnown && !isLow) dismissedStore.set(false)
  }, [isKnown, isLow])
  const text = balanceUsd > 0 ? t('low', { balance: money.balance(balanceUsd) }) : t('empty')
  return { warning: isLow && !isDismissed ? text : null, dismiss: () => dismissedStore.set(true) }
}
