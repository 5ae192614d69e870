'use client'

import { lazy, Suspense } from 'react'
import { useCreditId } from '@/components/credit/use-credit-id'

const LowBalanceNotice = lazy(async () => ({
  default: (await import('@/components/usage/low-balance/low-balance-notice')).LowBalanceNotice,
}))

/** Comes with the first credit, as the balance does: without one there is nothing to run low. */
export function LowBalance() {
  const creditId = useCreditId()
  if (!creditId) return null
  return (
    <Suspense>
      <LowBalanceNotice />
    </Suspense>
  )
}
