import { z } from 'zod'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@/lib/exchange/domain/exchange-limits'
import { isStorableText } from '@/lib/http/domain/storable-text'

/** Values that occur in several objects of the API. */
export const unixSeconds = z.int().nonnegative().describe('Unix seconds.')

export const storableText = z.string().refine(isStorableText, 'expected text without NUL characters')

export const idempotencyKeyHeader = z.string().min(1).max(IDEMPOTENCY_KEY_LENGTH_MAX).optional()

export function unixSecondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
