import type { Key, KeySettings } from '@/lib/api/contracts/keys'
import type { ResetPeriod } from '@/lib/ledger/domain/keys'

/** What stands in the form's controls. */
interface KeyFormValues {
  label: string
  /** Dollars as typed; empty for no limit. */
  limitText: string
  resetPeriod: ResetPeriod
  /** `2026-03-31`, the last day on which the key works; empty for ever. */
  lastDay: string
}

export interface KeyFormProblems {
  limit?: 'malformed' | 'tooSmall' | 'tooLarge'
  expiry?: 'past'
}

/** Dollars with up to nine decimals, a comma or a point between; what the API takes. */
const LIMIT_PATTERN = /^\d{1,7}([.,]\d{1,9})?$/
const LIMIT_USD_MIN = 0.01
const LIMIT_USD_MAX = 1_000_000
const DAY_PATTERN = /^(\d{4,5})-(\d{2})-(\d{2})$/

export const EMPTY_KEY_FORM: KeyFormValues = { label: '', limitText: '', resetPeriod: 'none', lastDay: '' }

export function keyFormValues(key: Key): KeyFormValues {
  return {
    label: key.label,
    limitText: key.usage_limit_usd === null ? '' : String(key.usage_limit_usd),
    resetPeriod: key.reset_period,
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
  if ('problem' in limit || 'problem' in expiry) {
    return {
      problems: {
        ...('problem' in limit ? { limit: limit.problem } : {}),
        ...('problem' in expiry ? { expiry: expiry.problem } : {}),
      },
    }
  }
  return {
    change: {
      label: values.label.trim() || context.fallbackLabel,
      usage_limit_usd: limit.usd,
      reset_period: limit.usd === null ? 'none' : values.resetPeriod,
      routing: context.before?.routing ?? null,
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
  if (usd < LIMIT_USD_MIN) return { problem: 'tooSmall' }
  return usd > LIMIT_USD_MAX ? { problem: 'tooLarge' } : { usd }
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
