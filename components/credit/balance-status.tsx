'use client'

import { lazy, Suspense } from 'react'
import { usePathname } from '@/lib/i18n/navigation'
import { BalanceView } from './balance-view'
import { useCreditId } from './use-credit-id'

/** What fetches and formats comes with the first credit: a first visit to a page of prices needs none of it. */
const LiveBalance = lazy(() => import('./live-balance'))

interface BalanceStatusProps {
  /** No money, formatted. */
  zero: string
}

/** The balance, always in the same place. */
export function BalanceStatus({ zero }: BalanceStatusProps) {
  const creditId = useCreditId()
  const pathname = usePathname()
  // There one pays into somebody else's credit, which an own balance would be taken for.
  if (pathname === '/refill') return null
  if (creditId === null) return <BalanceView amount={zero} />
  const waiting = <BalanceView amount={null} />
  if (creditId === undefined) return waiting
  return (
    <Suspense fallback={waiting}>
      <LiveBalance />
    </Suspense>
  )
}
