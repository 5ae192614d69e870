import 'server-only'
import type { Decimal } from '@/lib/money/decimal'
import { GatewayError } from '../domain/gateway'

/** How long a rate is taken as it is. */
const FRESH_MS = 60_000
/** No invoice on an older rate, however long its source is down: somebody would wait for such a moment. */
const USABLE_MS = 10 * 60_000

export interface RateSource {
  fetchRate: () => Promise<Decimal>
  /** A clock that only goes forward, in milliseconds. */
  now?: () => number
}

/**
 * Remembers a rate, asking its source at most once a minute, successful or not.
 * @returns a function that throws GatewayError when no rate young enough is known
 */
export function cacheRate({ fetchRate, now = () => performance.now() }: RateSource): () => Promise<Decimal> {
  let known: { rate: Decimal; fetchedAtMs: number } | null = null
  let attempt: { startedAtMs: number; done: Promise<void> } | null = null

  const refresh = async (startedAtMs: number) => {
    try {
      known = { rate: await fetchRate(), fetchedAtMs: startedAtMs }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
    }
  }

  return async () => {
    const askedAtMs = now()
    if (!attempt || askedAtMs - attempt.startedAtMs >= FRESH_MS)
      attempt = { startedAtMs: askedAtMs, done: refresh(askedAtMs) }
    await attempt.done
    if (known && now() - known.fetchedAtMs <= USABLE_MS) return known.rate
    throw new GatewayError('No recent rate of bitcoin is known.')
  }
}
