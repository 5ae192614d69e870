import { z } from 'zod'

/** What several objects of the API are made of. */
export const unixSeconds = z.int().nonnegative().describe('Unix seconds.')

export const idempotencyKeyHeader = z.string().min(1).max(255).optional()

export function unixSecondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
