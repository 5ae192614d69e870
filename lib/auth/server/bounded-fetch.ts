import 'server-only'
import { createServiceFetch } from '@/lib/auth/domain/service-fetch'
import { processRateLimits } from '@/lib/http/rate-limits'
import { unlessAborted } from '@/lib/http/unless-aborted'
import { log } from '@/lib/observability/log'

/**
 * A page waits for the auth service for two seconds in all: first in the middleware, then in the page itself, which
 * only needs keys. The two share no clock, and on some hosts not even a process. The library would retry for 30 s,
 * which only a background tab can afford.
 */
export const MIDDLEWARE_WAIT_MS_MAX = 1_500
export const PAGE_WAIT_MS_MAX = 500

/**
 * How long a route waits that somebody has triggered with a button. Ends just before the library's fifth attempt, at
 * 3.0 s.
 */
export const ROUTE_WAIT_MS_MAX = 2_900

/** Of a visitor whose session is over or has been made up. */
const ENDED_SESSION_CODES: ReadonlySet<string> = new Set([
  'refresh_token_not_found',
  'refresh_token_already_used',
  'session_expired',
])

export interface BoundedFetch {
  fetch: typeof fetch
  /** Aborts when the time is over, for requests made without the library. */
  readonly signal: AbortSignal
  /** Whether the time ran out, so that the library's conclusion about the session means nothing. */
  readonly exhausted: boolean
  /** Whether the service refused to refresh the session, which ends it even if its token is still valid. */
  readonly refused: boolean
}

/**
 * A fetch for all requests to the auth service on behalf of one request. Once `waitMsMax` has passed, or the asker's
 * rate limit is reached, it answers with a 400 that the library neither retries nor logs as an error. With `asks` false
 * it always does.
 * @param asker the headers of the request
 */
export function boundedFetch(
  waitMsMax: number,
  { asker, asks = true }: { asker?: Headers; asks?: boolean } = {},
): BoundedFetch {
  const deadline = AbortSignal.timeout(waitMsMax)
  let exhausted = false
  let refused = false
  let isTold = false
  /** The library itself then tells of an ended session, and what it tells of refusals is not logged. */
  const tellOnce = () => {
    if (!isTold) log.warn('the sign-in service did not answer in time')
    isTold = true
  }
  const fetchService = createServiceFetch({
    fetch: (input, init) => globalThis.fetch(input, init),
    onRefusedRefresh: (_refreshToken, code) => {
      if (!refused && !ENDED_SESSION_CODES.has(code))
        log.info(`the sign-in service refused to renew a session: ${code}`)
      refused = true
    },
  })
  return {
    fetch: async (input, init) => {
      if (asks && deadline.aborted) tellOnce()
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

/** If the rate limit cannot be checked in time, for example without a database, nobody is asked. */
async function mayAsk(asker: Headers, deadline: AbortSignal): Promise<boolean> {
  const counted = processRateLimits().current?.take('sign_in', asker) ?? Promise.resolve()
  return unlessAborted(counted, deadline).then(
    () => true,
    () => false,
  )
}
