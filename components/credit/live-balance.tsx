'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useMoney } from '@/components/ui/money'
import { useLowBalance } from '@/components/usage/low-balance/use-low-balance'
import { lookAtBalance } from './balance-store'
import { BalanceView } from './balance-view'
import { useBalance, useBalanceErrorText } from './use-balance'

/** A failure shows zero and says why. Each page that is opened looks again. */
export default function LiveBalance() {
  const money = useMoney()
  const { balanceUsd, loading, error } = useBalance()
  const problem = useBalanceErrorText(error)
  const pathname = usePathname()
  const seenPathname = useRef(pathname)
  useEffect(() => {
    if (seenPathname.current === pathname) return
    seenPathname.current = pathname
    void lookAtBalance()
  }, [pathname])
  const { warning } = useLowBalance()
  return (
    <BalanceView amount={loading ? null : money.balance(balanceUsd)} problem={problem} warning={warning} />
  )
}
