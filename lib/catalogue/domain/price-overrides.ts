import { asText, isObject } from '@/lib/http/domain/is-object'
import { compare, type Decimal, formatDecimal, isNegative, isZero, parseDecimal } from '@/lib/money/decimal'
import type { PriceName, PriceOverride, Prices, UnitPrices, UtcWindow } from './model'
import { dearer, GENERAL_PRICE, PRICE_FIELDS, PRICE_NAMES, priceOf, readPrice } from './price-fields'

const MINUTES_PER_DAY = 1_440
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const NAMES_BY_FIELD = new Map<string, PriceName>(PRICE_NAMES.map(name => [PRICE_FIELDS[name], name]))

/**
 * Reads an entry of `pricing.overrides` with OpenRouter's conditions: `min_prompt_tokens` (exclusive), `utc_start` and
 * `utc_end` (1030 is half past ten), `utc_days` (names of weekdays); and `service_tier`. Null if any field is not
 * understood.
 */
export function readOverride(value: unknown, scaleMax?: number): PriceOverride | null {
  if (!isObject(value)) return null
  const { min_prompt_tokens, utc_start, utc_end, utc_days, service_tier, ...priced } = present(value)
  const inputTokenCountAbove = min_prompt_tokens === undefined ? null : readThreshold(min_prompt_tokens)
  const window = readWindow({ start: utc_start, end: utc_end, days: utc_days })
  if (inputTokenCountAbove === undefined || window === undefined) return null
  if (service_tier !== undefined && !isTierName(service_tier)) return null
  const prices: Partial<Record<PriceName, Decimal>> = {}
  for (const [field, text] of Object.entries(priced)) {
    const name = NAMES_BY_FIELD.get(field)
    const price = name && readPrice(name, text, scaleMax)
    if (!name || !price) return null
    prices[name] = price
  }
  return { inputTokenCountAbove, window, ...(service_tier && { serviceTier: service_tier }), prices }
}

function isTierName(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,16}$/.test(value)
}

/** The inverse of `readOverride`, with prices as decimal text. */
export function writeOverride({ inputTokenCountAbove, window, serviceTier, prices }: PriceOverride) {
  return {
    ...(inputTokenCountAbove === null ? {} : { min_prompt_tokens: inputTokenCountAbove }),
    ...(window?.days ? { utc_days: window.days.map(day => DAYS[day] ?? '') } : {}),
    ...(window ? { utc_start: toClock(window.startMinute), utc_end: toClock(window.endMinute) } : {}),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...priceTexts(prices),
  }
}

/** Decimal texts by OpenRouter's names, in a fixed order; without prices that are not listed. */
export function priceTexts(prices: Partial<UnitPrices>): Record<string, string> {
  const named = PRICE_NAMES.flatMap(name => {
    const price = prices[name]
    return price ? [[PRICE_FIELDS[name], formatDecimal(price)] as const] : []
  })
  return Object.fromEntries(named)
}

/** Null counts as missing. */
function present(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null && field !== undefined),
  )
}

/** Numbers arrive as text (parse-exact-json). A threshold between two counts has the same effect as the lower one. */
function readThreshold(value: unknown): number | undefined {
  const threshold = typeof value === 'string' ? parseDecimal(value) : null
  if (!threshold || isNegative(threshold)) return undefined
  const count = Number(threshold.coefficient / 10n ** BigInt(threshold.scale))
  return Number.isSafeInteger(count) ? count : undefined
}

/** Null without a condition on time; undefined if it is not understood. */
function readWindow(condition: {
  start: unknown
  end: unknown
  days: unknown
}): UtcWindow | null | undefined {
  if (condition.start === undefined && condition.end === undefined && condition.days === undefined)
    return null
  const days = condition.days === undefined ? null : readDays(condition.days)
  const isWholeDay = condition.start === undefined && condition.end === undefined
  const startMinute = isWholeDay ? 0 : readClock(condition.start)
  const endMinute = isWholeDay ? MINUTES_PER_DAY : readClock(condition.end)
  if (days === undefined || startMinute === undefined || endMinute === undefined) return undefined
  if (startMinute === MINUTES_PER_DAY) return undefined
  // From midnight to midnight may mean the whole day, or nothing; both start at 0.
  return { days, startMinute, endMinute: endMinute === 0 && startMinute > 0 ? MINUTES_PER_DAY : endMinute }
}

/** 1030 and "10:30" are half past ten; 2400 is the end of the day. */
function readClock(value: unknown): number | undefined {
  const clock = typeof value === 'string' ? readThreshold(value.replace(':', '')) : undefined
  if (clock === undefined || clock % 100 >= 60 || clock > 2_400) return undefined
  return Math.floor(clock / 100) * 60 + (clock % 100)
}

function readDays(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > DAYS.length) return undefined
  const days = value.map(name => DAYS.findIndex(day => isDayName(day, name)))
  return days.includes(-1) ? undefined : [...new Set(days)].sort()
}

/** `mon` also means Monday. */
function isDayName(day: string, name: unknown): boolean {
  const text = asText(name).toLowerCase()
  return text === day || text === day.slice(0, 3)
}

function toClock(minute: number): number {
  return Math.floor(minute / 60) * 100 + (minute % 60)
}

export interface Circumstances {
  /** Bounds of the tokens read, of whatever kind. */
  readonly inputTokenCountMin: number
  readonly inputTokenCountMax: number
  /** When the call was made. Undefined: at any time. */
  readonly at?: Date | undefined
  /**
   * The requested tier. A host may serve another one, so that it is not certain until the host has reported it.
   * Undefined: the usual one.
   */
  readonly serviceTier?: { readonly name: string; readonly isCertain: boolean } | undefined
}

/** Whether no unit costs more at the one price list than at the other, whatever is requested, at any time. */
export function isNeverDearer(prices: Prices, than: Prices): boolean {
  return (
    isNoDearer(prices, than) &&
    prices.overrides.length === than.overrides.length &&
    prices.overrides.every((override, index) => {
      const other = than.overrides[index]
      if (!other || conditionsOf(override) !== conditionsOf(other)) return false
      return isNoDearer({ ...prices, ...override.prices }, { ...than, ...other.prices })
    })
  )
}

function isNoDearer(prices: UnitPrices, than: UnitPrices): boolean {
  return PRICE_NAMES.every(name => compare(priceOf(prices, name), priceOf(than, name)) <= 0)
}

function conditionsOf({ inputTokenCountAbove, window, serviceTier }: PriceOverride): string {
  return JSON.stringify([inputTokenCountAbove, window, serviceTier])
}

type Applies = 'yes' | 'perhaps' | 'no'

/** The prices of a call. If it is uncertain whether an override applies, each price is the dearest that may apply. */
export function dearestPrices(prices: Prices, circumstances: Circumstances): UnitPrices {
  if (prices.overrides.length === 0) return prices
  const judged = prices.overrides
    .map(override => ({ override, applies: appliesTo(override, circumstances) }))
    .filter(({ applies }) => applies !== 'no')
    .reverse()
  const dearest: UnitPrices = { ...prices }
  for (const name of PRICE_NAMES) {
    const certain = judged.findIndex(({ override, applies }) => applies === 'yes' && override.prices[name])
    const possible = judged.slice(0, certain < 0 ? undefined : certain + 1)
    const named = possible.flatMap(({ override }) => override.prices[name] ?? [])
    const candidates = certain < 0 ? [...named, prices[name]] : named
    if (named.length > 0) Object.assign(dearest, { [name]: dearestOf(candidates, name, dearest) })
  }
  return dearest
}

/** A missing price counts as that of its general kind at that point. */
function dearestOf(candidates: readonly (Decimal | null)[], name: PriceName, known: UnitPrices): Decimal {
  const general = priceOf({ ...known, [name]: null }, name)
  const isListed = (price: Decimal | null): price is Decimal =>
    price !== null && !(isZero(price) && GENERAL_PRICE[name] !== undefined)
  const listed = candidates.filter(isListed)
  return listed.length === candidates.length ? listed.reduce(dearer) : listed.reduce(dearer, general)
}

function appliesTo(
  { inputTokenCountAbove, window, serviceTier }: PriceOverride,
  circumstances: Circumstances,
): Applies {
  // Without any condition, one may have been forgotten.
  if (inputTokenCountAbove === null && window === null && serviceTier === undefined) return 'perhaps'
  const requested = circumstances.serviceTier
  if (serviceTier !== undefined && requested?.name !== serviceTier) return 'no'
  const byCount = isAbove(inputTokenCountAbove, circumstances)
  const byTime = isDuring(window, circumstances.at)
  if (byCount === 'no' || byTime === 'no') return 'no'
  const isServed = serviceTier === undefined || requested?.isCertain === true
  return byCount === 'yes' && byTime === 'yes' && isServed ? 'yes' : 'perhaps'
}

function isAbove(
  threshold: number | null,
  { inputTokenCountMin, inputTokenCountMax }: Circumstances,
): Applies {
  if (threshold === null || inputTokenCountMin > threshold) return 'yes'
  return inputTokenCountMax > threshold ? 'perhaps' : 'no'
}

function isDuring(window: UtcWindow | null, at: Date | undefined): Applies {
  if (window === null) return 'yes'
  // A time that cannot be read is unknown, too.
  if (at === undefined || Number.isNaN(at.getTime())) return 'perhaps'
  const { days, startMinute, endMinute } = window
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes()
  const day = at.getUTCDay()
  const isDay = (number: number) => days === null || days.includes((number + DAYS.length) % DAYS.length)
  if (startMinute < endMinute) {
    return isDay(day) && minute >= startMinute && minute < endMinute ? 'yes' : 'no'
  }
  // From one hour to the same hour means a whole day to some, and nothing to others.
  if (startMinute === endMinute) return isDay(day) || isDay(day - 1) ? 'perhaps' : 'no'
  if (minute >= startMinute) return isDay(day) ? 'yes' : 'no'
  if (minute >= endMinute) return 'no'
  // After midnight, the weekday may refer to the current day or to the day on which the window began.
  if (isDay(day) && isDay(day - 1)) return 'yes'
  return isDay(day) || isDay(day - 1) ? 'perhaps' : 'no'
}
