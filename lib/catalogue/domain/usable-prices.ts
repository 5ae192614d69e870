import { isObject } from '@/lib/http/domain/is-object'
import {
  compare,
  type Decimal,
  decimalFromInteger,
  isNegative,
  isZero,
  multiply,
  parseDecimal,
  ZERO,
} from '@/lib/money/decimal'
import type { ModelKind, PriceName, PriceOverride, Prices } from './model'
import { PRICE_FIELDS, PRICE_NAMES, readPrice } from './price-fields'
import { readOverride } from './price-overrides'
import type { UpstreamPricing } from './upstream-model'

/** The longest known schedule has six entries. */
const OVERRIDE_COUNT_MAX = 64

/** Prices of models that run on the operator's own machine. */
export const FREE_PRICES: Prices = {
  prompt: ZERO,
  completion: ZERO,
  request: ZERO,
  image: ZERO,
  inputImage: null,
  outputImage: null,
  inputAudio: null,
  outputAudio: null,
  inputAudioCacheRead: null,
  inputCacheRead: null,
  inputCacheWrite: null,
  inputCacheWriteLong: null,
  internalReasoning: null,
  webSearch: null,
  inputCharacter: null,
  inputSecond: null,
  recordingMin: null,
  overrides: [],
}

export type PricingReading =
  | { outcome: 'usable'; prices: Prices }
  /** The field that is invalid or unknown; null if there is no price at all. */
  | { outcome: 'unusable'; field: string | null }

/**
 * Reads every field of an upstream's `pricing`. The model must not be offered if prompt or completion are missing
 * without a price per character or second in their place (`suitsKind` says for which kinds that is allowed), if any
 * price is negative (`-1` is OpenRouter's "it depends"), not finite, malformed or absurd, or if an unknown field is not
 * plainly zero, since what it prices would be free. Only an explicit zero means free.
 */
export function readPricing(pricing: UpstreamPricing, scaleMax?: number): PricingReading {
  const read: Partial<Record<PriceName, Decimal>> = {}
  for (const name of PRICE_NAMES) {
    const value = pricing[PRICE_FIELDS[name]]
    if (value === undefined || value === null) continue
    const price = readPrice(name, value, scaleMax)
    if (!price) return unusable(PRICE_FIELDS[name])
    read[name] = price
  }
  const overrides = readOverrides(pricing.overrides, scaleMax)
  if (!overrides) return unusable('overrides')
  const strange = Object.entries(pricing).find(
    ([field, value]) => !isKnown(field) && !isHarmless(field, value),
  )
  if (strange) return unusable(strange[0])
  const hasTokenPrices = read.prompt !== undefined && read.completion !== undefined
  const hasUnitPrice = read.inputCharacter !== undefined || read.inputSecond !== undefined
  if (!hasTokenPrices && !hasUnitPrice) return unusable(null)
  return { outcome: 'usable', prices: { ...FREE_PRICES, ...read, overrides } }
}

export function usablePrices(pricing: UpstreamPricing | null): Prices | null {
  const reading = pricing && readPricing(pricing)
  return reading?.outcome === 'usable' ? reading.prices : null
}

/** A model of a kind that writes nothing needs no price for writing. */
export function withNothingWritten(pricing: UpstreamPricing, kind: ModelKind | null): UpstreamPricing {
  return kind === 'embedding' ? { ...pricing, completion: pricing.completion ?? '0' } : pricing
}

/** The prices of a model of this kind, as listed by its upstream. */
export function usableListedPrices(pricing: UpstreamPricing | null, kind: ModelKind | null): Prices | null {
  if (!pricing) return null
  if (kind !== 'image') return usablePrices(withImageTokens(withNothingWritten(pricing, kind)))
  const reading = readImagePricing(pricing)
  return reading.outcome === 'usable' ? reading.prices : null
}

/**
 * The prices of a model that only draws: its output is pictures, so that their tokens are its output tokens. Also
 * unusable if nothing costs anything: a list without a price of pictures does not mean that they are free.
 */
export function readImagePricing(pricing: UpstreamPricing): PricingReading {
  const isByToken = pricing.image_output !== undefined && pricing.image_output !== null
  // If its tokens have a price, `image` is the price of a picture that is sent along.
  const reading = readPricing(isByToken ? withDrawnOutput(withImageTokens(pricing)) : pricing)
  if (reading.outcome === 'unusable') return reading
  const { completion, image, request } = reading.prices
  return [completion, image, request].some(price => !isZero(price)) ? reading : unusable(null)
}

function withDrawnOutput({ overrides, ...pricing }: UpstreamPricing): UpstreamPricing {
  return {
    ...withDrawnCompletion(pricing),
    overrides: Array.isArray(overrides)
      ? overrides.map(entry => (isObject(entry) ? withDrawnCompletion(entry) : entry))
      : overrides,
  }
}

/** The price of text does not matter for a model that writes none. */
function withDrawnCompletion({ image_output: drawn, completion: _ofText, ...rest }: UpstreamPricing) {
  return drawn === undefined ? rest : { ...rest, completion: drawn }
}

const PICTURE_PRICE_USD_MIN: Decimal = { coefficient: 2n, scale: 5 }
const IMAGE_TOKEN_PRICE_RATIO_MAX = decimalFromInteger(4)

/**
 * In older lists `image` is the price of a picture, in newer ones that of a token of a picture. The two are a hundred
 * times apart: no picture costs less than a thousandth of two cents, and no token of a picture costs several times as
 * much as a token of text.
 */
function withImageTokens(pricing: UpstreamPricing): UpstreamPricing {
  const image = readPrice('image', pricing.image)
  if (!image || isZero(image)) return pricing
  const prompt = readPrice('prompt', pricing.prompt) ?? ZERO
  const isByPicture =
    compare(image, PICTURE_PRICE_USD_MIN) >= 0 &&
    compare(image, multiply(prompt, IMAGE_TOKEN_PRICE_RATIO_MAX)) > 0
  if (isByPicture || pricing.image_token !== undefined) return pricing
  const { image: image_token, ...rest } = pricing
  return { ...rest, image_token }
}

/**
 * The fields because of which models with a price are not offered, since upstreams invent new ones. Values that may be
 * mistakes (`-1`) are not included.
 */
export function unknownPriceFields(models: readonly { pricing: UpstreamPricing | null }[]): string[] {
  const fields = models.flatMap(({ pricing }) => {
    const reading = pricing && readPricing(pricing)
    const field = reading?.outcome === 'unusable' ? reading.field : null
    return field === null || (field !== 'overrides' && isKnown(field)) ? [] : [field]
  })
  return [...new Set(fields)].sort()
}

/** Whether no price is above zero, whatever is requested and whenever. */
export function costsNothing(prices: Prices): boolean {
  return [prices, ...prices.overrides.map(override => override.prices)].every(known =>
    PRICE_NAMES.every(name => !known[name] || isZero(known[name])),
  )
}

function readOverrides(value: unknown, scaleMax: number | undefined): readonly PriceOverride[] | null {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > OVERRIDE_COUNT_MAX) return null
  const overrides = value.flatMap(entry => readOverride(entry, scaleMax) ?? [])
  return overrides.length === value.length ? overrides : null
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set([...Object.values(PRICE_FIELDS), 'overrides'])

function isKnown(field: string): boolean {
  return KNOWN_FIELDS.has(field)
}

/**
 * A discount is ignored, whether or not the listed prices already include it: without it a bound is at most too high. A
 * zero of any unit costs nothing.
 */
function isHarmless(field: string, value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (field === 'currency') return value === 'USD'
  const number = typeof value === 'string' ? parseDecimal(value) : null
  if (!number || isNegative(number)) return false
  return isZero(number) || (field === 'discount' && compare(number, decimalFromInteger(1)) <= 0)
}

function unusable(field: string | null): PricingReading {
  return { outcome: 'unusable', field }
}
