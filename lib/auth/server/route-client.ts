import 'server-only'
import { cookies } from 'next/headers'
import { AUTH_WAIT_MS_MAX, type BoundedFetch, boundedFetch } from './bounded-fetch'
import type { KeySet } from './key-set'
import { type AuthServerClient, createAuthServerClient } from './server-client'
import { isSecure } from './session-cookies'
import { keySetOf, type SupabaseSettings } from './supabase-settings'

export interface RouteAuth {
  auth: AuthServerClient
  keySet: KeySet
  bounded: BoundedFetch
}

/** A client for a route handler, which may refresh the session and write its cookies. */
export async function createRouteAuth(settings: SupabaseSettings, request: Request): Promise<RouteAuth> {
  const store = await cookies()
  const bounded = boundedFetch(AUTH_WAIT_MS_MAX)
  const auth = await createAuthServerClient(settings, {
    secure: isSecure(request),
    fetch: bounded.fetch,
    getAll: () => store.getAll().filter(({ value }) => typeof value === 'string'),
    // Every route of ours that comes here answers `no-store` in any case.
    setAll: written => {
      if (bounded.exhausted) return
      for (const { name, value, options } of written) store.set(name, value, options)
    },
  })
  return { auth, keySet: keySetOf(settings), bounded }
}
