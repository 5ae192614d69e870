'use client'

import { useTranslations } from 'next-intl'
import useSWR from 'swr'
import { BALANCE_FETCH_FAILED, balanceErrorText, CREDIT_RECORD_MISSING } from './balance-error'
import { type BalanceKey, balanceKey, balanceSource, refreshBalance } from './balance-store'
import { useCreditId } from './use-credit-id'

interface BalanceState {
  /** Dollars; 0 without a credit_id and after any failure. */
  balanceUsd: number
  /** The first answer is on its way. */
  loading: boolean
  /** The specification's text in English, or the thrown message; null when all is well. */
  error: string | null
  /** Asks again at once. */
  refresh: () => Promise<void>
}

/** Every look may ask: how often the server is asked is decided by the source's own throttle alone. */
const BALANCE_FETCHING = { dedupingInterval: 0, focusThrottleInterval: 0 }

/** The balance of this browser's credit_id (specification, sections 4, 5, 8 and 9). */
export function useBalance(): BalanceState {
  const creditId = useCreditId()
  const { data, error, isLoading } = useSWR<number, unknown, BalanceKey | null>(
    creditId ? balanceKey(creditId) : null,
    ([, id]) => balanceSource.get(id),
    BALANCE_FETCHING,
  )
  return {
    balanceUsd: error === undefined ? (data ?? 0) : 0,
    loading: creditId === undefined || isLoading,
    error: error === undefined ? null : balanceErrorText(error),
    refresh: refreshBalance,
  }
}

/** The two known sentences in the person's language; any other thrown message as it is. */
export function useBalanceErrorText(error: string | null): string | null {
  const t = useTranslations('credit')
  if (error === CREDIT_RECORD_MISSING) return t('recordMissing')
  if (error === BALANCE_FETCH_FAILED) return t('fetchFailed')
  return error
}
