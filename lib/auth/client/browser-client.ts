import { type CookieMethodsBrowser, createBrowserClient } from '@supabase/ssr'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { createServiceFetch } from '@/lib/auth/domain/service-fetch'
import { watchedFetch } from '@/lib/http/client/watched-fetch'

export type AuthBrowserClient = ReturnType<typeof createAuthBrowserClient>

interface BrowserClientOptions {
  /** Omitted in the browser, where the library uses the page's own cookies. */
  cookies?: CookieMethodsBrowser
  fetch?: typeof watchedFetch
  secure: boolean
  /** The service has ended the session, which nobody in this browser asked for. */
  onEnded: () => void
}

/** The timeout of one request to the auth service. The library sets none, and a button would spin forever. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * The library's browser client on the cookies that the server reads, too. Every 30 s it refreshes a session with 90 s
 * or less left, and notifies the other tabs. Import this file lazily: it brings in the whole SDK.
 */
export function createAuthBrowserClient(settings: PublicAuthSettings, options: BrowserClientOptions) {
  const fetchFrom = options.fetch ?? watchedFetch
  const fetchInTime: typeof fetch = (input, init) =>
    fetchFrom(String(input), { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  // The library keeps a session whose refresh was refused until its token expires.
  const forget = async (refreshToken: string) => {
    const { data } = await auth.getSession()
    // Another tab has a newer one.
    if (data.session && data.session.refresh_token !== refreshToken) return
    options.onEnded()
    if (data.session) await auth.signOut({ scope: 'local' })
  }
  const { auth } = createBrowserClient(settings.url, settings.publicKey, {
    isSingleton: false,
    cookies: options.cookies,
    cookieOptions: { name: settings.cookieName, secure: options.secure },
    auth: {
      autoRefreshToken: true,
      // The callback route reads codes from the address; a page never does.
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
