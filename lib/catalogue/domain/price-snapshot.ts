import { type Decimal, formatDecimal } from '@/lib/money/decimal'
import type { Prices } from './model'
import { usablePrices } from './usable-prices'

/**
 * Prices as the hold keeps them and as `GET /v1/models` lists them: decimal strings in USD per unit, by
 * OpenRouter's names, in a fixed order. Prices that the upstream does not name are left out.
 */
export function priceSnapshot(prices: Prices): Record<string, string> {
  const named: [string, Decimal | null][] = [
    ['prompt', prices.prompt],
    ['completion', prices.completion],
    ['request', prices.request],
    ['image', prices.image],
    ['input_cache_read', prices.inputCacheRead],
    ['input_cache_write', prices.inputCacheWrite],
    ['internal_reasoning', prices.internalReasoning],
    ['input_character', prices.inputCharacter],
    ['input_second', prices.inputSecond],
  ]
  return Object.fromEntries(named.flatMap(([name, price]) => (price ? [[name, formatDecimal(price)]] : [])))
}

/** Null when the snapshot is damaged. */
export function parsePriceSnapshot(snapshot: Record<string, string>): Prices | null {
  return usablePrices(snapshot)
}
