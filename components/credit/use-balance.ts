'use client'

import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import useSWR from 'swr'
import { useStore } from '@/components/ui/use-store'
import { ofCredit } from '@/lib/local/credit-id'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { parseDecimal } from '@/lib/money/decimal'
import { floorToNano, type Nano } from '@/lib/money/nano'
import { balanceErrorText, CREDIT_RECORD_MISSING, UnknownCreditError } from './balance-error'
import { type BalanceKey, balanceKey, balanceSource, refreshBalance } from './balance-store'
import { useCreditId } from './use-credit-id'

interface BalanceState {
  /** Dollars; 0 without a credit_id and after any failure. To display it, use `shown`. */
  balanceUsd: number
  /** The first request is in progress. */
  loading: boolean
  /** The specification's text in English, or the thrown message; null if there is no error. */
  error: string | null
  /** The server does not know this credit. */
  isUnknown: boolean
  /** The balance to display; null while nothing is known. A failure is not zero. */
  shown: ShownBalance | null
  /** Fetches again at once. */
  refresh: () => Promise<void>
}

export interface ShownBalance {
  readonly amountUsd: number
  /** In milliseconds since 1970, if this is only the last known balance; null if it is the current one. */
  readonly asOfMs: number | null
}

/** SWR may fetch at any time: only the source's own throttle decides how often the server is asked. */
const BALANCE_FETCHING = { dedupingInterval: 0, focusThrottleInterval: 0 }

/**
 * The balance of this browser's credit_id.
 *
 * @param refreshInterval in milliseconds, while the tab is visible and online; 0 for none
 */
export function useBalance(refreshInterval = 0): BalanceState {
  const creditId = useCreditId()
  const last = ofCredit(useStore(lastBalanceStore), creditId)
  const { data, error, isLoading } = useSWR<number, unknown, BalanceKey | null>(
    creditId ? balanceKey(creditId) : null,
    ([, id]) => balanceSource.get(id),
    { ...BALANCE_FETCHING, refreshInterval },
  )
  const balanceUsd = error === undefined ? (data ?? 0) : 0
  const loading = creditId === undefined || isLoading
  const isKnown = creditId === null || (error === undefined && data !== undefined)
  const isUnknown = error instanceof UnknownCreditError
  return {
    balanceUsd,
    loading,
    error: error === undefined ? null : balanceErrorText(error),
    isUnknown,
    // Nothing is left of a credit that the server does not know, such as one that was replaced on another device.
    shown: isKnown
      ? { amountUsd: balanceUsd, asOfMs: null }
      : last && !isUnknown
        ? { amountUsd: last.amountUsd, asOfMs: last.atMs }
        : null,
    refresh: refreshBalance,
  }
}

/** The balance to calculate with; null while it is unknown, and if it is empty. */
export function useBalanceToSpend(): Nano | null {
  const usd = useBalance().shown?.amountUsd ?? 0
  return useMemo(() => {
    const balance = usd > 0 ? parseDecimal(String(usd)) : null
    return balance && floorToNano(balance)
  }, [usd])
}

/** The sentence for an error in the person's language; the thrown text is for programmers. */
export function useBalanceErrorText(error: string | null): string | null {
  const t = useTranslations('credit')
  if (error === null) return null
  return error === CREDIT_RECORD_MISSING ? t('recordMissing') : t('fetchFailed')
}
