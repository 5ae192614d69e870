import { fieldOf, numberOf, textOf } from '@/lib/http/client/call-api'
import type { ResetPeriod } from '../domain/keys'

/** An API key as `GET /keys` tells it. */
export interface KeyView {
  id: string
  label: string
  /** The last characters of the secret. */
  hint: string
  usageLimitUsd: number | null
  /** Spent in the current reset period. */
  usageUsd: number
  resetPeriod: ResetPeriod
  expiresAtSeconds: number | null
  createdAtSeconds: number
  revokedAtSeconds: number | null
}

/** What a person may set on a key. */
export interface KeyChange {
  label: string
  usageLimitUsd: number | null
  resetPeriod: ResetPeriod
  expiresAtSeconds: number | null
}

export const RESET_PERIODS: readonly ResetPeriod[] = ['none', 'daily', 'weekly', 'monthly']

/** Null when the answer is no key. */
export function parseKey(answer: unknown): KeyView | null {
  const id = textOf(answer, 'id')
  if (id === null) return null
  return {
    id,
    label: textOf(answer, 'label') ?? '',
    hint: textOf(answer, 'hint') ?? '',
    usageLimitUsd: numberOf(answer, 'usage_limit_usd'),
    usageUsd: numberOf(answer, 'usage_usd') ?? 0,
    resetPeriod: RESET_PERIODS.find(period => period === fieldOf(answer, 'reset_period')) ?? 'none',
    expiresAtSeconds: numberOf(answer, 'expire_at'),
    createdAtSeconds: numberOf(answer, 'created_at') ?? 0,
    revokedAtSeconds: numberOf(answer, 'revoked_at'),
  }
}

/** In the API's own words. */
export function keyChangeBody(change: KeyChange) {
  return {
    label: change.label,
    usage_limit_usd: change.usageLimitUsd,
    reset_period: change.resetPeriod,
    expire_at: change.expiresAtSeconds,
  }
}
