'use client'

import { lazy, Suspense } from 'react'
import { BalanceView } from './balance-view'
import { useCreditId } from './use-credit-id'

/** What fetches comes with the first credit: a first visit to a page of prices needs none of it. */
const LiveBalance = lazy(() => import('./live-balance'))

/** The balance, always in the same place. */
export function BalanceStatus() {
  const creditId = useCreditId()
  if (creditId === null) return <BalanceView balanceUsd={0} loading={false} error={null} />
  const waiting = <BalanceView balanceUsd={0} loading={true} error={null} />
  if (creditId === undefined) return waiting
  return (
    <Suspense fallback={waiting}>
      <LiveBalance />
    </Suspense>
  )
}
