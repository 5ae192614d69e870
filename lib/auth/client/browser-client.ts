import { type CookieMethodsBrowser, createBrowserClient } from '@supabase/ssr'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { createServiceFetch } from '@/lib/auth/domain/service-fetch'
import { watchedFetch } from '@/lib/http/client/watched-fetch'

export type AuthBrowserClient = ReturnType<typeof createAuthBrowserClient>

interface BrowserClientOptions {
  /** Left out in the browser, where the library uses the page's own. */
  cookies?: CookieMethodsBrowser
  fetch?: typeof watchedFetch
  secure: boolean
}

/** One question to the auth service. The library sets no limit of its own, and a button would spin for ever. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * The library's browser client over the cookies that the server reads too. It refreshes the session
 * every 30 s when 90 s or less are left, and tells the other tabs. Import this file lazily: it is the
 * weight of the whole SDK.
 */
export function createAuthBrowserClient(settings: PublicAuthSettings, options: BrowserClientOptions) {
  const fetchFrom = options.fetch ?? watchedFetch
  const fetchInTime: typeof fetch = (input, init) =>
    fetchFrom(String(input), { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  // The library keeps a session whose refresh was refused until its token expires.
  const forget = async (refreshToken: string) => {
    const { data } = await auth.getSession()
    if (data.session?.refresh_token === refreshToken) await auth.signOut({ scope: 'local' })
  }
  const { auth } = createBrowserClient(settings.url, settings.publicKey, {
    isSingleton: false,
    cookies: options.cookies,
    cookieOptions: { name: settings.cookieName, secure: options.secure },
    auth: {
      autoRefreshToken: true,
      // The callback route takes codes off the address; a page never does.
      detectSessionInUrl: false,
      experimental: { passkey: true },
    },
    global: {
      fetch: createServiceFetch({
        fetch: fetchInTime,
        onRefusedRefresh: refreshToken => void forget(refreshToken),
      }),
    },
  })
  return auth
}
