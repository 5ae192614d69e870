import { isoDayOf } from '@/components/account/format-day'
import type { Key, KeySettings } from '@/lib/api/contracts/keys'
import { USAGE_LIMIT_USD_MAX, USAGE_LIMIT_USD_MIN } from '@/lib/api/domain/api-limits'
import type { ResetPeriod } from '@/lib/ledger/domain/keys'
import { type AmountProblem, amountToText, parseAmount } from '@/lib/money/typed-amount'

/** The cheapest host, only hosts that do not train on requests, or only hosts that keep nothing. */
export const HOST_CHOICES = ['any', 'deny', 'zdr'] as const
type HostChoice = (typeof HOST_CHOICES)[number]

/** The values of the form's fields. */
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
  /** Ids of models, separated by lines, commas or spaces; empty for all. */
  modelsText: string
  /** `2026-03-31`, the last day on which the key works; empty for no end. */
  lastDay: string
}

/** What is wrong with an amount, or its possible meanings in dollars. */
export type KeyAmountProblem = AmountProblem | readonly number[]

export interface KeyFormProblems {
  limit?: KeyAmountProblem
  promptPrice?: KeyAmountProblem
  completionPrice?: KeyAmountProblem
  maxCharge?: KeyAmountProblem
  expiry?: 'past'
}

/** The precision of dollar amounts in the API. */
const AMOUNT_DIGITS_MAX = 9
const LIMIT = { min: USAGE_LIMIT_USD_MIN, max: USAGE_LIMIT_USD_MAX, digitsMax: AMOUNT_DIGITS_MAX }
const CHARGE = { ...LIMIT, min: 10 ** -AMOUNT_DIGITS_MAX }
const PRICE = { ...LIMIT, min: 0 }
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

/** The form's values for a key, with amounts as the language writes numbers. */
export function keyFormValues(key: Key, locale: string): KeyFormValues {
  const textOf = (usd: string | number | null | undefined) =>
    usd == null ? '' : keyAmountToText(Number(usd), locale)
  return {
    label: key.label,
    limitText: textOf(key.usage_limit_usd),
    resetPeriod: key.reset_period,
    ...routingValues(key.routing, textOf),
    lastDay: lastDayOf(key.expire_at),
  }
}

export const keyAmountToText = (usd: number, locale: string) => amountToText(usd, locale, AMOUNT_DIGITS_MAX)

/** `before` is the current key, whose exact expiry stays unless another day is chosen. */
export function parseKeyForm(
  values: KeyFormValues,
  context: { before: Key | null; locale: string; nowMs: number },
): { change: KeySettings } | { problems: KeyFormProblems } {
  const limit = readAmount(values.limitText, LIMIT, context.locale)
  const expiry = parseExpiry(values.lastDay, context)
  const promptPrice = plainly(readAmount(values.promptPriceText, PRICE, context.locale))
  const completionPrice = plainly(readAmount(values.completionPriceText, PRICE, context.locale))
  const maxCharge = plainly(readAmount(values.maxChargeText, CHARGE, context.locale))
  if (
    'problem' in limit ||
    'problem' in expiry ||
    'problem' in promptPrice ||
    'problem' in completionPrice ||
    'problem' in maxCharge
  ) {
    return {
      problems: {
        ...('problem' in limit && { limit: limit.problem }),
        ...('problem' in expiry && { expiry: expiry.problem }),
        ...('problem' in promptPrice && { promptPrice: promptPrice.problem }),
        ...('problem' in completionPrice && { completionPrice: completionPrice.problem }),
        ...('problem' in maxCharge && { maxCharge: maxCharge.problem }),
      },
    }
  }
  const before = context.before?.routing ?? null
  const prices = { prompt: priceOf(promptPrice.usd), completion: priceOf(completionPrice.usd) }
  const models = [...new Set(values.modelsText.split(/[\s,;]+/).filter(Boolean))]
  const limits = {
    max_charge_usd: maxCharge.usd,
    models: models.length === 0 ? null : models,
  }
  return {
    change: {
      label: values.label.trim(),
      usage_limit_usd: limit.usd,
      reset_period: limit.usd === null ? 'none' : values.resetPeriod,
      routing: routingOf(values.hosts, { prices, limits }, before),
      expire_at: expiry.seconds,
    },
  }
}

type ReadKeyAmount = { usd: number | null } | { problem: KeyAmountProblem }

/** Null for no limit. */
function readAmount(text: string, limits: typeof LIMIT, locale: string): ReadKeyAmount {
  if (text.trim() === '') return { usd: null }
  const read = parseAmount(text, limits, locale)
  if ('amountUsd' in read) return { usd: read.amountUsd }
  return { problem: 'problem' in read ? read.problem : read.readingsUsd }
}

/** The messages for prices and charges mention no bounds, unlike those for limits. */
function plainly(read: ReadKeyAmount): ReadKeyAmount {
  return 'problem' in read && typeof read.problem === 'string' ? { problem: 'malformed' } : read
}

/** Without an exponent. */
function priceOf(usd: number | null): string | null {
  return usd === null ? null : usd.toFixed(AMOUNT_DIGITS_MAX).replace(/\.?0+$/, '')
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

/** Settings that the form does not show are kept. */
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

function parseExpiry(
  lastDay: string,
  { before, nowMs }: { before: Key | null; nowMs: number },
): { seconds: number | null } | { problem: 'past' } {
  const [, year, month, day] = DAY_PATTERN.exec(lastDay) ?? []
  if (year === undefined) return { seconds: null }
  if (before && lastDay === lastDayOf(before.expire_at)) return { seconds: before.expire_at }
  // The key works to the end of its last day, in the person's time zone.
  const endMs = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime()
  return endMs <= nowMs ? { problem: 'past' } : { seconds: Math.floor(endMs / 1000) }
}

function lastDayOf(expire_at: number | null): string {
  return expire_at === null ? '' : isoDayOf(new Date(expire_at * 1000 - 1))
}

/** When the limit's current period ends, in milliseconds since 1970. Periods are those of UTC; weeks begin on Monday. */
export function nextResetMs(period: Exclude<Key['reset_period'], 'none'>, nowMs: number): number {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  switch (period) {
    case 'daily':
      return Date.UTC(year, month, day + 1)
    case 'weekly':
      return Date.UTC(year, month, day + 7 - ((now.getUTCDay() + 6) % 7))
    case 'monthly':
      return Date.UTC(year, month + 1, 1)
  }
}

type KeyState = 'active' | 'limitReached' | 'expired' | 'revoked'

/** The state to show. Revoked, which is final, comes before expired, which an edit can undo. */
export function keyState(
  key: Pick<Key, 'revoked_at' | 'expire_at' | 'usage_limit_usd' | 'usage_usd'>,
  nowMs: number,
): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expire_at !== null && key.expire_at * 1000 <= nowMs) return 'expired'
  return key.usage_limit_usd !== null && key.usage_usd >= key.usage_limit_usd ? 'limitReached' : 'active'
}
