import type { Key, KeySettings } from '@/lib/api/contracts/keys'
import { USAGE_LIMIT_USD_MAX, USAGE_LIMIT_USD_MIN } from '@/lib/api/domain/limits'
import type { ResetPeriod } from '@/lib/ledger/domain/keys'

/** Whoever is cheapest, those that learn nothing from a request, or those that keep nothing of it. */
export const HOST_CHOICES = ['any', 'deny', 'zdr'] as const
type HostChoice = (typeof HOST_CHOICES)[number]

/** What stands in the form's controls. */
interface KeyFormValues {
  label: string
  /** Dollars as typed; empty for no limit. */
  limitText: string
  resetPeriod: ResetPeriod
  hosts: HostChoice
  /** Dollars per million tokens as typed; empty for any price. */
  promptPriceText: string
  completionPriceText: string
  /** Dollars as typed; empty for any. */
  maxChargeText: string
  /** Ids of models, with lines, commas or spaces between; empty for all. */
  modelsText: string
  /** `2026-03-31`, the last day on which the key works; empty for ever. */
  lastDay: string
}

export interface KeyFormProblems {
  limit?: 'malformed' | 'tooSmall' | 'tooLarge'
  promptPrice?: 'malformed'
  completionPrice?: 'malformed'
  maxCharge?: 'malformed'
  expiry?: 'past'
}

/** Dollars with up to nine decimals, a comma or a point between; what the API takes. */
const LIMIT_PATTERN = /^\d{1,7}([.,]\d{1,9})?$/
const DAY_PATTERN = /^(\d{4,5})-(\d{2})-(\d{2})$/

export const EMPTY_KEY_FORM: KeyFormValues = {
  label: '',
  limitText: '',
  resetPeriod: 'none',
  hosts: 'any',
  promptPriceText: '',
  completionPriceText: '',
  maxChargeText: '',
  modelsText: '',
  lastDay: '',
}

/** The key as it is, its amounts as the language writes numbers. */
export function keyFormValues(key: Key, locale: string): KeyFormValues {
  const numbers = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 })
  const textOf = (usd: string | number | null | undefined) => (usd == null ? '' : numbers.format(Number(usd)))
  return {
    label: key.label,
    limitText: textOf(key.usage_limit_usd),
    resetPeriod: key.reset_period,
    ...routingValues(key.routing, textOf),
    lastDay: lastDayOf(key.expire_at),
  }
}

/** `before` is the key as it is, whose exact end stays unless another day is chosen. */
export function parseKeyForm(
  values: KeyFormValues,
  context: { before: Key | null; fallbackLabel: string; nowMs: number },
): { change: KeySettings } | { problems: KeyFormProblems } {
  const limit = parseLimit(values.limitText)
  const expiry = parseExpiry(values.lastDay, context)
  const promptPrice = parsePrice(values.promptPriceText)
  const completionPrice = parsePrice(values.completionPriceText)
  const maxCharge = parsePrice(values.maxChargeText)
  const isChargeWrong = maxCharge === undefined || (maxCharge !== null && Number(maxCharge) === 0)
  if (
    'problem' in limit ||
    'problem' in expiry ||
    promptPrice === undefined ||
    completionPrice === undefined ||
    isChargeWrong
  ) {
    return {
      problems: {
        ...('problem' in limit ? { limit: limit.problem } : {}),
        ...('problem' in expiry ? { expiry: expiry.problem } : {}),
        ...(promptPrice === undefined ? { promptPrice: 'malformed' as const } : {}),
        ...(completionPrice === undefined ? { completionPrice: 'malformed' as const } : {}),
        ...(isChargeWrong ? { maxCharge: 'malformed' as const } : {}),
      },
    }
  }
  const before = context.before?.routing ?? null
  const prices = { prompt: promptPrice, completion: completionPrice }
  const models = [...new Set(values.modelsText.split(/[\s,;]+/).filter(Boolean))]
  const limits = {
    max_charge_usd: maxCharge === null ? null : Number(maxCharge),
    models: models.length === 0 ? null : models,
  }
  return {
    change: {
      label: values.label.trim() || context.fallbackLabel,
      usage_limit_usd: limit.usd,
      reset_period: limit.usd === null ? 'none' : values.resetPeriod,
      routing: routingOf(values.hosts, { prices, limits }, before),
      expire_at: expiry.seconds,
    },
  }
}

function parseLimit(
  text: string,
): { usd: number | null } | { problem: NonNullable<KeyFormProblems['limit']> } {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '')
  if (trimmed === '') return { usd: null }
  if (!LIMIT_PATTERN.test(trimmed)) return { problem: 'malformed' }
  const usd = Number(trimmed.replace(',', '.'))
  if (usd < USAGE_LIMIT_USD_MIN) return { problem: 'tooSmall' }
  return usd > USAGE_LIMIT_USD_MAX ? { problem: 'tooLarge' } : { usd }
}

function routingValues(routing: Key['routing'], textOf: (usd: string | number | null | undefined) => string) {
  const { zdr = false, data_collection: policy, max_price: prices } = routing?.provider ?? {}
  const hosts: HostChoice = zdr ? 'zdr' : policy === 'deny' ? 'deny' : 'any'
  return {
    hosts,
    promptPriceText: textOf(prices?.prompt),
    completionPriceText: textOf(prices?.completion),
    maxChargeText: textOf(routing?.max_charge_usd),
    modelsText: routing?.models?.join('\n') ?? '',
  }
}

/** What the form does not show stays as it is. */
function routingOf(
  hosts: HostChoice,
  wanted: {
    prices: { prompt: string | null; completion: string | null }
    limits: { max_charge_usd: number | null; models: string[] | null }
  },
  before: Key['routing'],
): KeySettings['routing'] {
  const { prices, limits } = wanted
  const max_price = { ...before?.provider.max_price, ...prices }
  const isBounded = Object.values(max_price).some(price => price != null)
  const isLimited = limits.max_charge_usd !== null || limits.models !== null
  if (hosts === 'any' && !isBounded && !before?.service_tier && !isLimited) return null
  const data_collection = hosts === 'any' ? 'allow' : 'deny'
  return {
    provider: { zdr: hosts === 'zdr', data_collection, max_price: isBounded ? max_price : null },
    service_tier: before?.service_tier ?? null,
    ...limits,
  }
}

/** Null for any; undefined for what is no price. */
function parsePrice(text: string): string | null | undefined {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '')
  if (trimmed === '') return null
  return LIMIT_PATTERN.test(trimmed) ? trimmed.replace(',', '.') : undefined
}

function parseExpiry(
  lastDay: string,
  { before, nowMs }: { before: Key | null; nowMs: number },
): { seconds: number | null } | { problem: 'past' } {
  const [, year, month, day] = DAY_PATTERN.exec(lastDay) ?? []
  if (year === undefined) return { seconds: null }
  if (before && lastDay === lastDayOf(before.expire_at)) return { seconds: before.expire_at }
  // The whole of the last day counts, where the person is.
  const endMs = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime()
  return endMs <= nowMs ? { problem: 'past' } : { seconds: Math.floor(endMs / 1000) }
}

function lastDayOf(expire_at: number | null): string {
  if (expire_at === null) return ''
  const date = new Date(expire_at * 1000 - 1)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`
}

type KeyState = 'active' | 'limitReached' | 'expired' | 'revoked'

/** What a key can still do. Revoked for good comes before expired, which an edit can undo. */
export function keyState(
  key: Pick<Key, 'revoked_at' | 'expire_at' | 'usage_limit_usd' | 'usage_usd'>,
  nowMs: number,
): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expire_at !== null && key.expire_at * 1000 <= nowMs) return 'expired'
  return key.usage_limit_usd !== null && key.usage_usd >= key.usage_limit_usd ? 'limitReached' : 'active'
}
