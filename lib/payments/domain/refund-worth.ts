import { type Decimal, multiply } from '@/lib/money/decimal'
import { ceilToNano, divideUp, maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { Refund } from './gateway'

/** What was paid on an invoice, and what of it was already refunded. */
export interface RefundedSoFar {
  paidNano: Nano
  arrivedBitcoin: Decimal
  refundedNano: Nano
  /** The part that was refunded in bitcoin, in dollars and in bitcoin. */
  bitcoinRefundedNano: Nano
  refundedBitcoin: Decimal
}

/**
 * How much of an invoice's paid total a refund takes: its dollars as they are, its bitcoin as that share of the bitcoin
 * paid. Rounded up, and never more than is left. Refunds of both kinds add up to the same total in any order.
 */
export function refundWorth(refund: Refund, so: RefundedSoFar): Nano {
  const leftNano = maxNano(0n, so.paidNano - so.refundedNano)
  if (refund.usd) return minNano(leftNano, ceilToNano(refund.usd))
  const leftBitcoin = units(so.arrivedBitcoin) - units(so.refundedBitcoin)
  const part = units(refund.bitcoin)
  // More bitcoin than is known to have been paid, or all that is left of it.
  if (part >= leftBitcoin) return leftNano
  const wholeNano = maxNano(0n, so.paidNano - so.bitcoinRefundedNano)
  return minNano(leftNano, divideUp(wholeNano * part, leftBitcoin))
}

/** Fine enough for every payment: Lightning's are in thousandths of a satoshi. */
const BITCOIN_SCALE = 18

function units(bitcoin: Decimal): bigint {
  const scaled = multiply(bitcoin, { coefficient: 10n ** BigInt(BITCOIN_SCALE), scale: 0 })
  return scaled.coefficient / 10n ** BigInt(scaled.scale)
}
