import { type CookieMethodsBrowser, createBrowserClient } from '@supabase/ssr'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'

export type AuthBrowserClient = ReturnType<typeof createAuthBrowserClient>

interface BrowserClientOptions {
  /** Left out in the browser, where the library uses the page's own. */
  cookies?: CookieMethodsBrowser
  fetch?: typeof fetch
  secure: boolean
}

/**
 * The library's browser client over the cookies that the server reads too. It refreshes the session
 * every 30 s when 90 s or less are left, and tells the other tabs. Import this file lazily: it is the
 * weight of the whole SDK.
 */
export function createAuthBrowserClient(settings: PublicAuthSettings, options: BrowserClientOptions) {
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
    global: options.fetch ? { fetch: options.fetch } : {},
  })
  return auth
}
