import { compare, type Decimal, decimalFromInteger, isZero, parseDecimal, ZERO } from '@/lib/money/decimal'
import type { ModelKind, PriceName, UnitPrices } from './model'

/** OpenRouter's names of our prices, in the order of listing: a general kind before its special kinds. */
export const PRICE_FIELDS: Readonly<Record<PriceName, string>> = {
  prompt: 'prompt',
  completion: 'completion',
  request: 'request',
  image: 'image',
  inputImage: 'image_token',
  outputImage: 'image_output',
  inputAudio: 'audio',
  outputAudio: 'audio_output',
  inputCacheRead: 'input_cache_read',
  inputAudioCacheRead: 'input_audio_cache',
  inputCacheWrite: 'input_cache_write',
  inputCacheWriteLong: 'input_cache_write_1h',
  internalReasoning: 'internal_reasoning',
  webSearch: 'web_search',
  // No upstream publishes these; the operator's file does.
  inputCharacter: 'input_character',
  inputSecond: 'input_second',
  recordingMin: 'recording_min',
}

export const PRICE_NAMES = Object.keys(PRICE_FIELDS) as readonly PriceName[]

/** The general kind of token that a special kind belongs to. */
export const GENERAL_PRICE: Readonly<Partial<Record<PriceName, PriceName>>> = {
  inputImage: 'prompt',
  inputAudio: 'prompt',
  inputCacheRead: 'prompt',
  inputAudioCacheRead: 'inputCacheRead',
  inputCacheWrite: 'prompt',
  inputCacheWriteLong: 'inputCacheWrite',
  internalReasoning: 'completion',
  outputImage: 'completion',
  outputAudio: 'completion',
}

/**
 * The price of a kind of unit. If it is missing or zero, the price of its general kind applies: upstreams that bill
 * reasoning or sound like any other output omit the field or set it to zero.
 */
export function priceOf(prices: UnitPrices, name: PriceName): Decimal {
  const price = prices[name]
  const general = GENERAL_PRICE[name]
  if (general === undefined) return price ?? ZERO
  return price && !isZero(price) ? price : priceOf(prices, general)
}

/** What most tokens that such a model reads are priced by. */
export function mainInput(kind: ModelKind): 'inputAudio' | 'prompt' {
  return kind === 'transcription' ? 'inputAudio' : 'prompt'
}

export function dearer(left: Decimal, right: Decimal): Decimal {
  return compare(left, right) >= 0 ? left : right
}

/**
 * A dollar per token, character or second, a hundred dollars per request, image, search or recording: over a thousand
 * times the dearest known model. Anything above is a mistake in units or an attack, and sums could overflow.
 */
const TOKEN_PRICE_USD_MAX = decimalFromInteger(1)
const UNIT_PRICE_USD_MAX = decimalFromInteger(100)
const PRICED_BY_UNIT: ReadonlySet<PriceName> = new Set<PriceName>([
  'request',
  'image',
  'webSearch',
  'recordingMin',
])

/**
 * No upstream's price has more decimal places; keeps products of prices and markups short enough to be written and read
 * back.
 */
const PRICE_SCALE_MAX = 30

/** Null if the value is not a price: negative, not finite, malformed, absurd, or not even text. */
export function readPrice(name: PriceName, value: unknown, scaleMax = PRICE_SCALE_MAX): Decimal | null {
  // The sign alone disqualifies it: `-0` is the result of a faulty computation.
  if (typeof value !== 'string' || value.trimStart().startsWith('-')) return null
  const price = parseDecimal(value)
  const priceMax = PRICED_BY_UNIT.has(name) ? UNIT_PRICE_USD_MAX : TOKEN_PRICE_USD_MAX
  return price && price.scale <= scaleMax && compare(price, priceMax) <= 0 ? price : null
}

/** The same prices with each of them changed; missing ones stay missing. */
export function mapPrices<Known extends Readonly<Partial<Record<PriceName, Decimal | null>>>>(
  prices: Known,
  change: (price: Decimal) => Decimal,
): Known {
  const changed = PRICE_NAMES.flatMap(name => {
    const price = prices[name]
    return price ? [[name, change(price)] as const] : []
  })
  return { ...prices, ...Object.fromEntries(changed) }
}
