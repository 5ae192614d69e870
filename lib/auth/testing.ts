import { createBrowserClient } from '@supabase/ssr'
import { NextRequest } from 'next/server'
import type { AuthServer } from '@/test/stand-ins/auth-server'

export const PUBLIC_KEY = 'sb_publishable_test'

interface JarCookie {
  name: string
  value: string
  maxAge: number | undefined
  secure: boolean
}

/** One browser's cookies, as seen by the library's browser client and by the middleware. */
export class CookieJar {
  readonly cookies = new Map<string, JarCookie>()

  getAll = () => [...this.cookies.values()].map(({ name, value }) => ({ name, value }))

  setAll = (
    written: { name: string; value: string; options?: { maxAge?: number; secure?: boolean } }[],
  ): void => {
    for (const { name, value, options } of written) {
      if (options?.maxAge === 0 || value === '') this.cookies.delete(name)
      else this.cookies.set(name, { name, value, maxAge: options?.maxAge, secure: options?.secure === true })
    }
  }

  /** Only the session's cookies; code verifiers of sign-ins in progress come and go beside them. */
  session = () => this.getAll().filter(({ name }) => /-auth-token(\.\d+)?$/.test(name))

  sessionNames = () =>
    this.session()
      .map(({ name }) => name)
      .sort()

  forgetCodeVerifiers(): void {
    for (const name of this.cookies.keys()) if (name.endsWith('-code-verifier')) this.cookies.delete(name)
  }

  /** What the browser sends with a page request. */
  request(url = 'http://site.test/account'): NextRequest {
    const cookie = this.getAll()
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    return new NextRequest(url, { headers: cookie ? { cookie } : {} })
  }
}

/** The library's browser client on a jar, without timers of its own unless requested. */
export function browserClient(
  server: AuthServer,
  jar: CookieJar,
  options: { autoRefreshToken?: boolean } = {},
) {
  const { auth } = createBrowserClient(server.state.options.url, PUBLIC_KEY, {
    isSingleton: false,
    cookies: { getAll: jar.getAll, setAll: jar.setAll },
    auth: { autoRefreshToken: options.autoRefreshToken ?? false, detectSessionInUrl: false },
    global: { fetch: server.fetch },
  })
  return auth
}

/** Signs a person in with an e-mailed code, as the sign-in panel does; the jar then holds the session. */
export async function signIn(server: AuthServer, jar: CookieJar, email = 'ada@example.com') {
  const auth = browserClient(server, jar)
  await auth.signInWithOtp({ email })
  const token = server.state.emailCodes.get(email)?.code ?? ''
  const { data, error } = await auth.verifyOtp({ email, token, type: 'email' })
  if (error || !data.session) throw new Error(`sign-in failed: ${error?.message}`)
  return data.session
}
