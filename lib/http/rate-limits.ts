import 'server-only'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from './api-error'
import { clientAddress } from './client-address'
import { hashSecret } from './credential'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600

/**
 * What an unauthenticated visitor may do how often, per address and over all addresses together. The
 * counts are kept in the database, so they hold for all instances of a deployment.
 */
const LIMITS = {
  /** An account costs a row for ever; a household behind one address opens a few. */
  account_creation: { perAddress: 20, global: 2_000, windowSeconds: HOUR_SECONDS },
  /** Each invoice costs a call to the gateway. */
  invoice_creation: { perAddress: 30, global: 2_000, windowSeconds: HOUR_SECONDS },
  /** Generous: several tabs poll, and offices share an address. */
  balance_look_up: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
  /** Nobody types a credit_id wrong thirty times a minute; somebody who guesses does. */
  unknown_credential: { perAddress: 30, global: 6_000, windowSeconds: MINUTE_SECONDS },
  /** Two for each page that is opened; offices share an address. */
  telemetry: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
} as const

export type RateLimitName = keyof typeof LIMITS

export interface RateLimits {
  /** Counts one use. @throws ApiError rate_limited with Retry-After */
  take(name: RateLimitName, headers: Headers): Promise<void>
}

export type SqlQuery = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

export const RATE_LIMIT_TABLE = 'rate_limit'

export function createRateLimits(input: {
  query: SqlQuery
  onVercel: boolean
  /** Multiplies every limit: the sandbox is for trying things out, by scripts too. */
  factor?: number
}): RateLimits {
  const factor = input.factor ?? 1
  const limiters = Object.entries(LIMITS).map(([name, limit]) => {
    const create = (scope: string, points: number) =>
      new RateLimiterPostgres({
        storeClient: { query: (query: { text: string; values: unknown[] }) => runQuery(input.query, query) },
        storeType: 'client',
        tableName: RATE_LIMIT_TABLE,
        tableCreated: true,
        keyPrefix: `${name}:${scope}`,
        points: points * factor,
        duration: limit.windowSeconds,
        // Once refused, further attempts are refused from memory: a flood must not become a flood of queries.
        inMemoryBlockOnConsumed: points * factor + 1,
        inMemoryBlockDuration: limit.windowSeconds,
      })
    return [
      name,
      { address: create('address', limit.perAddress), global: create('global', limit.global) },
    ] as const
  })
  const byName = new Map<string, (typeof limiters)[number][1]>(limiters)

  return {
    async take(name, headers) {
      const limiter = byName.get(name)
      if (!limiter) return
      // Hashed: addresses are personal data, and the table needs only to tell them apart.
      const address = hashSecret(clientAddress(headers, input.onVercel))
      await consume(limiter.address, address)
      await consume(limiter.global, 'all')
    },
  }
}

async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
    throw new ApiError('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
}

/** The library calculates with plain numbers; our drivers return 64-bit columns as bigint. */
async function runQuery(query: SqlQuery, { text, values }: { text: string; values: unknown[] }) {
  const { rows } = await query(text, values)
  return { rows: rows.map(row => Object.fromEntries(Object.entries(row as object).map(toNumber))) }
}

function toNumber([name, value]: [string, unknown]): [string, unknown] {
  return [name, typeof value === 'bigint' ? Number(value) : value]
}
