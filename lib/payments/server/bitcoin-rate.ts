import 'server-only'
import { z } from 'zod'
import { compare, type Decimal, parseDecimal } from '@/lib/money/decimal'
import { GatewayError } from '../domain/gateway'
import { askCounterparty } from './ask-counterparty'

/** Coinbase's public spot price. */
export const DEFAULT_RATE_URL = 'https://api.coinbase.com/v2/prices/BTC-USD/spot'

const TIMEOUT_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024
/** A rate outside these bounds is a misreading or a lie, and charging by it would be absurd. */
const RATE_MIN: Decimal = { coefficient: 1_000n, scale: 0 }
const RATE_MAX: Decimal = { coefficient: 100_000_000n, scale: 0 }
/** How long a rate is used without asking again. */
const FRESH_MS = 60_000
/** No invoice uses an older rate, however long its source is down: otherwise somebody could wait for such a moment. */
const USABLE_MS = 10 * 60_000

const rateSchema = z.object({
  data: z.object({ amount: z.string(), base: z.literal('BTC'), currency: z.literal('USD') }),
})

/** Dollars per bitcoin, from `{"data":{"amount":"85240.10","base":"BTC","currency":"USD"}}`. @throws GatewayError */
export async function fetchBitcoinRate(url: string): Promise<Decimal> {
  const { body } = await askCounterparty({ url, timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX })
  const parsed = rateSchema.safeParse(body)
  return checkRate(parsed.success ? parseDecimal(parsed.data.data.amount) : null)
}

/** @throws GatewayError for an implausible rate */
export function checkRate(rate: Decimal | null | undefined): Decimal {
  if (rate && compare(rate, RATE_MIN) >= 0 && compare(rate, RATE_MAX) <= 0) return rate
  throw new GatewayError('The source of the bitcoin rate did not return a rate.')
}

export interface RateSource {
  fetchRate: () => Promise<Decimal>
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * Caches a rate, asking its source at most once a minute, successful or not. With `fresh` the source is asked now, and
 * a failure is not covered by the cached rate.
 * @returns a function that throws GatewayError if no rate is recent enough
 */
export function cacheRate({
  fetchRate,
  now = () => performance.now(),
}: RateSource): (input?: { fresh: boolean }) => Promise<Decimal> {
  let known: { rate: Decimal; fetchedAtMs: number } | null = null
  let latest: { startedAtMs: number; answer: Promise<Decimal | null> } | null = null

  const refresh = async (startedAtMs: number): Promise<Decimal | null> => {
    try {
      const rate = await fetchRate()
      if (!known || known.fetchedAtMs <= startedAtMs) known = { rate, fetchedAtMs: startedAtMs }
      return rate
    } catch (error) {
      if (error instanceof GatewayError) return null
      throw error
    }
  }

  return async input => {
    const askedAtMs = now()
    if (input?.fresh || !latest || askedAtMs - latest.startedAtMs >= FRESH_MS)
      latest = { startedAtMs: askedAtMs, answer: refresh(askedAtMs) }
    const answer = await latest.answer
    if (answer && input?.fresh) return answer
    if (!input?.fresh && known && now() - known.fetchedAtMs <= USABLE_MS) return known.rate
    throw new GatewayError('No recent bitcoin rate is known.')
  }
}
