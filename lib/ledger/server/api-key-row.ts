import 'server-only'
import { sql } from 'kysely'
import type { Nano } from '@/lib/money/nano'

/** The columns of an ApiKey, under its names. Usage of a period that is over counts as none. */
export const API_KEY_COLUMNS = [
  'id as keyId',
  'label',
  'hint',
  'usage_limit_nano as usageLimitNano',
  'reset_period as resetPeriod',
  'expires_at as expiresAt',
  'created_at as createdAt',
  'revoked_at as revokedAt',
] as const

export const CURRENT_USAGE_NANO = sql<Nano>`case
  when key_period_start(reset_period, clock_timestamp()) > usage_period_start then 0
  else usage_nano
end`.as('usageNano')
