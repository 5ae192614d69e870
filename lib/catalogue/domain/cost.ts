import { add, type Decimal, isZero, multiply } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { decimalFromCount, wholeCount } from './count'
import type { Prices, TokenUsage } from './model'

/**
 * What an exchange costs: cached input at its own price where there is one, reasoning likewise, the
 * request's fee once. Exact until the one rounding, up, at the end.
 */
export function cost({ prices, usage }: { prices: Prices; usage: TokenUsage }): Nano {
  const cached = Math.min(wholeCount(usage.cachedInputTokenCount), wholeCount(usage.inputTokenCount))
  const reasoning = Math.min(wholeCount(usage.reasoningTokenCount), wholeCount(usage.outputTokenCount))
  const times = (price: Decimal, count: number) => multiply(price, decimalFromCount(count))
  const charges = [
    times(prices.prompt, wholeCount(usage.inputTokenCount) - cached),
    times(cachedInputPrice(prices), cached),
    times(prices.completion, wholeCount(usage.outputTokenCount) - reasoning),
    times(reasoningPrice(prices), reasoning),
    times(prices.image, usage.imageCount),
  ]
  return ceilToNano(charges.reduce(add, prices.request))
}

export function cachedInputPrice(prices: Prices): Decimal {
  return prices.inputCacheRead ?? prices.prompt
}

/** Upstreams that bill reasoning as output write a zero there. */
export function reasoningPrice({ internalReasoning, completion }: Prices): Decimal {
  return internalReasoning && !isZero(internalReasoning) ? internalReasoning : completion
}
