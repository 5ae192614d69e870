'use client'

import { lazyPart } from '@/components/ui/lazy-part'
import { usePathname } from '@/lib/i18n/navigation'
import { BalanceView } from './balance-view'
import { useCreditId } from './use-credit-id'

/** Loaded with the first credit: a first visit to the price page does not need it. */
const LiveBalance = lazyPart(async () => (await import('./live-balance')).LiveBalance)

interface BalanceStatusProps {
  /** Zero, formatted. */
  zero: string
}

/** The balance in the header. */
export function BalanceStatus({ zero }: BalanceStatusProps) {
  const creditId = useCreditId()
  const pathname = usePathname()
  // That page is for paying into somebody else's credit, for which the visitor's own balance would be mistaken.
  if (pathname === '/refill') return null
  if (creditId === null) return <BalanceView amount={zero} />
  const waiting = <BalanceView amount={null} />
  if (creditId === undefined) return waiting
  return <LiveBalance fallback={waiting} />
}
