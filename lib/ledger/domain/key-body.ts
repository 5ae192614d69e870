import { z } from 'zod'
import { isStorableText } from '@/lib/http/domain/storable-text'
import { nanoToUsdNumber, parseNano } from '@/lib/money/nano'
import type { ApiKey } from './keys'

/** Longest label; it is shown in one line of a list. */
const LABEL_LENGTH_MAX = 80
/** The smallest limit is one cent. */
const USAGE_LIMIT_USD_MIN = 0.01
const USAGE_LIMIT_USD_MAX = 1_000_000

const label = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_LENGTH_MAX)
  .refine(isStorableText, 'expected text without NUL')

const usageLimit = z
  .number()
  .min(USAGE_LIMIT_USD_MIN)
  .max(USAGE_LIMIT_USD_MAX)
  .transform((usd, context) => {
    const nano = parseNano(String(usd))
    if (nano === null) context.addIssue({ code: 'custom', message: 'expected at most nine decimals' })
    return nano ?? 0n
  })
  .nullable()

const resetPeriod = z.enum(['none', 'daily', 'weekly', 'monthly'])

const expireAt = z
  .int()
  .positive()
  .max(32_503_680_000, 'expected unix seconds')
  .transform(seconds => new Date(seconds * 1000))
  .nullable()

export const createKeyBody = z.object({
  label: label.default('API key'),
  usage_limit_usd: usageLimit.default(null),
  reset_period: resetPeriod.default('none'),
  expire_at: expireAt.default(null),
})

export const updateKeyBody = z.object({
  label: label.optional(),
  usage_limit_usd: usageLimit.optional(),
  reset_period: resetPeriod.optional(),
  expire_at: expireAt.optional(),
})

/** A key as the API shows it; the secret itself is shown once, at creation, and never again. */
export function keyToBody(key: ApiKey) {
  return {
    id: key.keyId,
    label: key.label,
    hint: key.hint,
    usage_limit_usd: key.usageLimitNano === null ? null : nanoToUsdNumber(key.usageLimitNano),
    usage_usd: nanoToUsdNumber(key.usageNano),
    reset_period: key.resetPeriod,
    expire_at: unixSeconds(key.expiresAt),
    created_at: unixSeconds(key.createdAt),
    revoked_at: unixSeconds(key.revokedAt),
  }
}

function unixSeconds(date: Date | null): number | null {
  return date === null ? null : Math.floor(date.getTime() / 1000)
}
