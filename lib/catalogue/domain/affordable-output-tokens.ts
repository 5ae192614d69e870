import { type Decimal, isNegative, isZero, subtract } from '@/lib/money/decimal'
import { type Nano, nanoToDecimal } from '@/lib/money/nano'
import { boundParts, type InputBound } from './upper-bound'

/** Means "unlimited": output that is free, or so cheap that no request can use it up. */
export const OUTPUT_TOKEN_COUNT_UNLIMITED = 1_000_000_000

/**
 * How long an answer the available credit buys after the prompt is paid: the largest count whose `upperBound` does not
 * exceed it. 0 if it does not even buy the prompt.
 */
export function affordableOutputTokens(request: InputBound & { availableNano: Nano }): number {
  const { availableNano, ...bound } = request
  const { inputUsd, outputPriceUsd } = boundParts(bound)
  const leftUsd = subtract(nanoToDecimal(availableNano), inputUsd)
  if (isNegative(leftUsd)) return 0
  if (isZero(outputPriceUsd)) return OUTPUT_TOKEN_COUNT_UNLIMITED
  const count = divideDown(leftUsd, outputPriceUsd)
  return count < BigInt(OUTPUT_TOKEN_COUNT_UNLIMITED) ? Number(count) : OUTPUT_TOKEN_COUNT_UNLIMITED
}

/** Integer division of positive numbers. */
function divideDown(dividend: Decimal, divisor: Decimal): bigint {
  const numerator = dividend.coefficient * 10n ** BigInt(divisor.scale)
  return numerator / (divisor.coefficient * 10n ** BigInt(dividend.scale))
}
