'use client'

import { BalanceView } from './balance-view'
import { useBalance } from './use-balance'

export default function LiveBalance() {
  const { balanceUsd, loading, error } = useBalance()
  return <BalanceView balanceUsd={balanceUsd} loading={loading} error={error} />
}
