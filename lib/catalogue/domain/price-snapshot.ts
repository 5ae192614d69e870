import type { Prices } from './model'
import { parseExactJson } from './parse-exact-json'
import { priceTexts, writeOverride } from './price-overrides'
import { readPricing } from './usable-prices'

/** A ledger only stores short texts, so each override has a field of its own: `overrides.0` and so on. */
const OVERRIDE_FIELD = /^overrides\.(\d{1,2})$/

/** Prices in the form in which a hold stores them: only texts. */
export function priceSnapshot(prices: Prices): Record<string, string> {
  const overrides = prices.overrides.map((override, index) => [
    `overrides.${index}`,
    JSON.stringify(writeOverride(override)),
  ])
  return { ...priceTexts(prices), ...Object.fromEntries(overrides) }
}

/**
 * Prices as listed by `GET /v1/models`: decimal strings in USD per unit, by OpenRouter's names, in a fixed order.
 * Prices that the upstream does not list are omitted.
 */
export function listedPricing(
  prices: Prices,
): Record<string, string | readonly ReturnType<typeof writeOverride>[]> {
  const overrides = prices.overrides.map(writeOverride)
  return overrides.length > 0 ? { ...priceTexts(prices), overrides } : priceTexts(prices)
}

/** Null if the snapshot is damaged. */
export function parsePriceSnapshot(snapshot: Record<string, string>): Prices | null {
  const fields = Object.entries(snapshot).map(
    ([field, text]) => [field, text, OVERRIDE_FIELD.exec(field)?.[1]] as const,
  )
  const pricing = Object.fromEntries(fields.filter(([, , index]) => index === undefined))
  const conditional = fields.filter(([, , index]) => index !== undefined)
  // A database has its own order of fields, and the last override wins.
  conditional.sort(([, , left], [, , right]) => Number(left) - Number(right))
  const overrides = conditional.map(([, text]) => parseExactJson(text))
  // A markup adds decimal places beyond those allowed to an upstream.
  const reading = readPricing({ ...pricing, overrides }, Number.POSITIVE_INFINITY)
  return reading.outcome === 'usable' ? reading.prices : null
}
