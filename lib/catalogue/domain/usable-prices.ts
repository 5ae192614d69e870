import { compare, type Decimal, decimalFromInteger, parseDecimal, ZERO } from '@/lib/money/decimal'
import type { Prices } from './model'
import type { PriceField, UpstreamPricing } from './upstream-model'

/**
 * A dollar a token, character or second, a hundred dollars a request or an image: over a thousand times the dearest model
 * known. Beyond it stands a mistake in units or an attack, and sums could overflow.
 */
const TOKEN_PRICE_USD_MAX = decimalFromInteger(1)
const UNIT_PRICE_USD_MAX = decimalFromInteger(100)

/** No price is finer; keeps products of prices and markups short enough to be written and read back. */
const PRICE_SCALE_MAX = 30

const PRICE_USD_MAX: Record<PriceField, Decimal> = {
  prompt: TOKEN_PRICE_USD_MAX,
  completion: TOKEN_PRICE_USD_MAX,
  request: UNIT_PRICE_USD_MAX,
  image: UNIT_PRICE_USD_MAX,
  input_cache_read: TOKEN_PRICE_USD_MAX,
  input_cache_write: TOKEN_PRICE_USD_MAX,
  internal_reasoning: TOKEN_PRICE_USD_MAX,
  input_character: TOKEN_PRICE_USD_MAX,
  input_second: TOKEN_PRICE_USD_MAX,
}

/** Prices of models that run on the operator's own machine. */
export const FREE_PRICES: Prices = {
  prompt: ZERO,
  completion: ZERO,
  request: ZERO,
  image: ZERO,
  inputCacheRead: null,
  inputCacheWrite: null,
  internalReasoning: null,
  inputCharacter: null,
  inputSecond: null,
}

/**
 * Null when the model must not be offered: prompt or completion missing where no price per character or
 * second stands in for them (`suitsKind` says for which kinds it may), or any price negative (`-1`
 * is OpenRouter's "it depends"), not finite, malformed or absurd. Only a written zero is free.
 */
export function usablePrices(pricing: UpstreamPricing | null): Prices | null {
  if (!pricing) return null
  const prompt = judge(pricing, 'prompt')
  const completion = judge(pricing, 'completion')
  const request = judge(pricing, 'request')
  const image = judge(pricing, 'image')
  const inputCacheRead = judge(pricing, 'input_cache_read')
  const inputCacheWrite = judge(pricing, 'input_cache_write')
  const internalReasoning = judge(pricing, 'internal_reasoning')
  const inputCharacter = judge(pricing, 'input_character')
  const inputSecond = judge(pricing, 'input_second')
  const tokens = [prompt, completion, inputCacheRead, inputCacheWrite, internalReasoning]
  const judged = [...tokens, request, image, inputCharacter, inputSecond]
  const hasUnitPrice = inputCharacter !== null || inputSecond !== null
  if (((!prompt || !completion) && !hasUnitPrice) || judged.includes(UNUSABLE)) return null
  return {
    prompt: prompt ?? ZERO,
    completion: completion ?? ZERO,
    request: request ?? ZERO,
    image: image ?? ZERO,
    inputCacheRead,
    inputCacheWrite,
    internalReasoning,
    inputCharacter,
    inputSecond,
  }
}

const UNUSABLE: Decimal = { coefficient: -1n, scale: 0 }

/** Null when the field is absent, UNUSABLE when its text is no price. */
function judge(pricing: UpstreamPricing, field: PriceField): Decimal | null {
  const text = pricing[field]
  if (text === undefined) return null
  // The sign alone disqualifies: `-0` is a computation that went wrong somewhere.
  const price = text.trimStart().startsWith('-') ? null : parseDecimal(text)
  return price && price.scale <= PRICE_SCALE_MAX && compare(price, PRICE_USD_MAX[field]) <= 0
    ? price
    : UNUSABLE
}
