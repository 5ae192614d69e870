'use client'

import { useTranslations } from 'next-intl'
import { BALANCE_FETCH_FAILED, CREDIT_RECORD_MISSING } from './balance-error'

/** The two known sentences in the person's language; any other thrown message as it is. */
export function useBalanceErrorText(error: string | null): string | null {
  const t = useTranslations('credit')
  if (error === CREDIT_RECORD_MISSING) return t('recordMissing')
  if (error === BALANCE_FETCH_FAILED) return t('fetchFailed')
  return error
}
