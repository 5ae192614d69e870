import { add, type Decimal, isNegative } from '@/lib/money/decimal'

/**
 * What an upstream bills by its own report. If it used the operator's own key at the model's host (`is_byok`), that
 * host's bill comes on top of the upstream's fee, which alone says next to nothing. Null if a part is missing or
 * negative.
 */
export function billedCost(report: {
  feeUsd: Decimal | null
  isOwnKey: boolean
  hostsUsd: Decimal | null
}): Decimal | null {
  const { feeUsd, isOwnKey, hostsUsd } = report
  if (!feeUsd || isNegative(feeUsd)) return null
  if (!isOwnKey) return feeUsd
  return hostsUsd && !isNegative(hostsUsd) ? add(feeUsd, hostsUsd) : null
}
