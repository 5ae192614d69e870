import 'server-only'
import { createServerClient, type SetAllCookies } from '@supabase/ssr'
import { holdsSession } from './holds-session'
import { isSessionCookie, sessionCookieName } from './session-cookies'
import type { SupabaseSettings } from './supabase-settings'

export type AuthServerClient = Awaited<ReturnType<typeof createAuthServerClient>>

export interface AuthServerClientOptions {
  getAll: () => { name: string; value: string }[]
  /** Left out where cookies cannot be written, which is in pages. */
  setAll?: SetAllCookies
  /** Whether the page came over https; the session is then never sent over http. */
  secure: boolean
  fetch: typeof fetch
}

/**
 * The library's server client over the given cookies. It writes them as the specification has them:
 * chunks of 3180 characters, 400 days, path `/`, SameSite lax. One per request, never shared.
 *
 * Session cookies that hold no session are cleared here, and the library never sees them.
 */
export async function createAuthServerClient(settings: SupabaseSettings, options: AuthServerClientOptions) {
  const name = sessionCookieName(settings)
  const sent = options.getAll()
  const damaged = (await holdsSession(sent, name))
    ? []
    : sent.map(cookie => cookie.name).filter(sentName => isSessionCookie(sentName, name))
  if (damaged.length > 0)
    await options.setAll?.(damaged.map(expire), { 'Cache-Control': 'private, no-store' })
  const { auth } = createServerClient(settings.url, settings.publicKey, {
    cookies: {
      getAll: () => options.getAll().filter(cookie => !damaged.includes(cookie.name)),
      setAll: options.setAll ?? (() => undefined),
    },
    cookieOptions: { name, secure: options.secure },
    global: { fetch: options.fetch },
  })
  return auth
}

/** The library clears cookies in the same words. */
export function expire(name: string) {
  return { name, value: '', options: { path: '/', sameSite: 'lax' as const, maxAge: 0 } }
}
