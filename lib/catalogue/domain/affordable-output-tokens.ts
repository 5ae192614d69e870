import { type Decimal, isNegative, isZero, subtract } from '@/lib/money/decimal'
import { type Nano, nanoToDecimal } from '@/lib/money/nano'
import { boundParts, type InputBound } from './upper-bound'

/** Stands for "as many as you like": output that is free, or cheaper than any request can use up. */
export const OUTPUT_TOKEN_COUNT_UNLIMITED = 1_000_000_000

/**
 * How long an answer the available credit buys after the prompt is paid for: the largest count whose
 * `upperBound` is not above it. 0 when it does not even buy the prompt.
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

/** Whole times that `divisor` fits into `dividend`; both positive. */
function divideDown(dividend: Decimal, divisor: Decimal): bigint {
  const numerator = dividend.coefficient * 10n ** BigInt(divisor.scale)
  return numerator / (divisor.coefficient * 10n ** BigInt(dividend.scale))
}
