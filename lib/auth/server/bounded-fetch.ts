import 'server-only'
import { createServiceFetch } from '@/lib/auth/domain/service-fetch'

/**
 * How long a request waits for the auth service. The library retries for 30 s, which a background tab
 * can afford and a page that somebody waits for cannot. Just under its fifth attempt at 3.0 s.
 */
export const AUTH_WAIT_MS_MAX = 2_900

export interface BoundedFetch {
  fetch: typeof fetch
  /** Whether time ran out: what the library then concludes about the session means nothing. */
  readonly exhausted: boolean
  /** Whether the service refused to refresh the session, which ends it even if its token is still good. */
  readonly refused: boolean
}

/**
 * A fetch for one request's dealings with the auth service. Once `waitMsMax` is over, it answers 400
 * by itself, in words that the library neither retries nor logs as an error. With 0 it never asks.
 */
export function boundedFetch(waitMsMax: number, fetchFrom: typeof fetch = globalThis.fetch): BoundedFetch {
  const deadline = AbortSignal.timeout(waitMsMax)
  let exhausted = false
  let refused = false
  const fetchService = createServiceFetch({
    fetch: fetchFrom,
    onRefusedRefresh: () => {
      refused = true
    },
  })
  return {
    fetch: async (input, init) => {
      if (waitMsMax === 0 || deadline.aborted) {
        exhausted = true
        return Response.json({ error_code: 'session_expired', msg: 'not asked in time' }, { status: 400 })
      }
      return fetchService(input, { ...init, signal: deadline, redirect: 'error', cache: 'no-store' })
    },
    get refused() {
      return refused
    },
    get exhausted() {
      return exhausted || (waitMsMax > 0 && deadline.aborted)
    },
  }
}
