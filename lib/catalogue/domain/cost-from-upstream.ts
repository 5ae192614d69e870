import { type Decimal, isNegative } from '@/lib/money/decimal'
import { ceilToNano, NANO_MAX, type Nano } from '@/lib/money/nano'
import { withMarkup } from './apply-markup'

/**
 * The charge for a cost that the upstream itself named. Null when it names nonsense (negative, or more
 * than any transfer may carry): the caller goes on to the next source of truth.
 */
export function costFromUpstream(costUsd: Decimal, priceMarkup: Decimal): Nano | null {
  if (isNegative(costUsd)) return null
  const costNano = ceilToNano(withMarkup(costUsd, priceMarkup))
  return costNano <= NANO_MAX ? costNano : null
}
