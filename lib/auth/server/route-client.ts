import 'server-only'
import type { SetAllCookies } from '@supabase/ssr'
import type { SessionError } from '@/lib/auth/domain/session-errors'
import { type BoundedFetch, boundedFetch, ROUTE_WAIT_MS_MAX } from './bounded-fetch'
import type { KeySet } from './key-set'
import { routeCookies } from './route-cookies'
import { type AuthServerClient, createAuthServerClient, storedSessionProblem } from './server-client'
import { isSecure, sessionCookieName } from './session-cookies'
import { keySetOf, type SupabaseSettings } from './supabase-settings'

export interface RouteAuth {
  auth: AuthServerClient
  keySet: KeySet
  bounded: BoundedFetch
  /** Why the request's cookies contain no session. */
  sentProblem: SessionError | null
  /** Writes the cookies that were held back. */
  store: () => void
}

/**
 * A client for a route handler, which may refresh the session and write its cookies. With `hold` it writes none until
 * `store` is called, for a session that may turn out to be somebody else's.
 */
export async function createRouteAuth(
  settings: SupabaseSettings,
  request: Request,
  { hold = false }: { hold?: boolean } = {},
): Promise<RouteAuth> {
  const store = routeCookies(request)
  const held: Parameters<SetAllCookies>[0] = []
  const write = (written: typeof held) => {
    for (const { name, value, options } of written) store.set(name, value, options)
  }
  const sentProblem = await storedSessionProblem(store.getAll(), sessionCookieName(settings))
  const bounded = boundedFetch(ROUTE_WAIT_MS_MAX, { asker: request.headers })
  const auth = await createAuthServerClient(settings, {
    secure: isSecure(request),
    fetch: bounded.fetch,
    getAll: store.getAll,
    // Every one of our routes that comes here answers with `no-store` in any case.
    setAll: written => {
      if (bounded.exhausted) return
      if (hold) held.push(...written)
      else write(written)
    },
  })
  return { auth, keySet: keySetOf(settings), bounded, sentProblem, store: () => write(held) }
}
