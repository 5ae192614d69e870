import 'server-only'
import { createServiceFetch } from '@/lib/auth/domain/service-fetch'
import { processRateLimits } from '@/lib/http/rate-limits'
import { unlessAborted } from '@/lib/http/unless-aborted'

/**
 * How long a page waits for the auth service in all, two seconds: its middleware first, and then the page
 * itself, which needs keys only. They share no clock, and on some hosts no process either. The library
 * retries for 30 s, which a background tab can afford.
 */
export const MIDDLEWARE_WAIT_MS_MAX = 1_500
export const PAGE_WAIT_MS_MAX = 500

/** How long a route waits that somebody has called for by a button. Just under the fifth attempt, at 3.0 s. */
export const ROUTE_WAIT_MS_MAX = 2_900

export interface BoundedFetch {
  fetch: typeof fetch
  /** Ends with the time, for what is waited for beside the library. */
  readonly signal: AbortSignal
  /** Whether time ran out: what the library then concludes about the session means nothing. */
  readonly exhausted: boolean
  /** Whether the service refused to refresh the session, which ends it even if its token is still good. */
  readonly refused: boolean
}

/**
 * A fetch for one request's dealings with the auth service. Once `waitMsMax` is over, or the asker's limit is
 * reached, it answers 400 by itself, in words that the library neither retries nor logs as an error. With `asks`
 * false it always does.
 * @param asker the headers of the request
 */
export function boundedFetch(
  waitMsMax: number,
  { asker, asks = true }: { asker?: Headers; asks?: boolean } = {},
): BoundedFetch {
  const deadline = AbortSignal.timeout(waitMsMax)
  let exhausted = false
  let refused = false
  const fetchService = createServiceFetch({
    fetch: (input, init) => globalThis.fetch(input, init),
    onRefusedRefresh: () => {
      refused = true
    },
  })
  return {
    fetch: async (input, init) => {
      if (!asks || deadline.aborted || (asker && !(await mayAsk(asker, deadline)))) {
        exhausted = true
        return Response.json({ error_code: 'session_expired', msg: 'not asked in time' }, { status: 400 })
      }
      return fetchService(input, { ...init, signal: deadline, redirect: 'error', cache: 'no-store' })
    },
    signal: deadline,
    get refused() {
      return refused
    },
    get exhausted() {
      return exhausted || (asks && deadline.aborted)
    },
  }
}

/** Without a verdict in time, as from a database that is away, nobody is asked. */
async function mayAsk(asker: Headers, deadline: AbortSignal): Promise<boolean> {
  const counted = processRateLimits().current?.take('sign_in', asker) ?? Promise.resolve()
  return unlessAborted(counted, deadline).then(
    () => true,
    () => false,
  )
}
