'use client'

import { useLocale } from 'next-intl'
import { formatBalance } from '@/lib/money/format-money'
import { BalanceView } from './balance-view'
import { useBalance, useBalanceErrorText } from './use-balance'

/** A failure shows zero and says why. */
export default function LiveBalance() {
  const locale = useLocale()
  const { balanceUsd, loading, error } = useBalance()
  const problem = useBalanceErrorText(error)
  return <BalanceView amount={loading ? null : formatBalance(balanceUsd, locale)} problem={problem} />
}
