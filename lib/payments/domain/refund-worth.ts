import { type Decimal, multiply } from '@/lib/money/decimal'
import { ceilToNano, maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { Refund } from './gateway'

/** What arrived on an invoice, and what of it was given back before. */
export interface RefundedSoFar {
  paidNano: Nano
  arrivedBitcoin: Decimal
  refundedNano: Nano
  /** Of it, what was told in bitcoin, and how much bitcoin that was. */
  bitcoinRefundedNano: Nano
  refundedBitcoin: Decimal
}

/**
 * What a refund takes of what its invoice was credited for: dollars as they are, bitcoin as the same part of
 * the worth as of the bitcoin. Rounded up, and never more than is left. Refunds of both kinds come to the
 * same total in any order.
 */
export function refundWorth(refund: Refund, so: RefundedSoFar): Nano {
  const leftNano = maxNano(0n, so.paidNano - so.refundedNano)
  if (refund.usd) return minNano(leftNano, ceilToNano(refund.usd))
  const leftBitcoin = units(so.arrivedBitcoin) - units(so.refundedBitcoin)
  const part = units(refund.bitcoin)
  // Bitcoin that nobody is known to have sent, or all that is left of it.
  if (part >= leftBitcoin) return leftNano
  const wholeNano = maxNano(0n, so.paidNano - so.bitcoinRefundedNano)
  return minNano(leftNano, (wholeNano * part + leftBitcoin - 1n) / leftBitcoin)
}

/** Fine enough for every payment: Lightning's are in thousandths of a satoshi. */
const BITCOIN_SCALE = 18

function units(bitcoin: Decimal): bigint {
  const scaled = multiply(bitcoin, { coefficient: 10n ** BigInt(BITCOIN_SCALE), scale: 0 })
  return scaled.coefficient / 10n ** BigInt(scaled.scale)
}
