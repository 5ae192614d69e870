'use client'

import { useCreditId } from '@/components/credit/use-credit-id'
import { arriving } from '@/components/ui/arriving'

const LowBalanceNotice = arriving(
  async () => (await import('@/components/usage/low-balance/low-balance-notice')).LowBalanceNotice,
)

/** Comes with the first credit, as the balance does: without one there is nothing to run low. */
export function LowBalance() {
  const creditId = useCreditId()
  if (!creditId) return null
  return <LowBalanceNotice />
}
