import { type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, type Nano, nanoToDecimal } from '@/lib/money/nano'

/** What the operator adds to a payment; a function of the total, so that parts add up to the whole. */
export function bonusFor(paidNano: Nano, bonusFraction: Decimal): Nano {
  return floorToNano(multiply(nanoToDecimal(paidNano), bonusFraction))
}
