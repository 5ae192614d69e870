import { afterEach, beforeEach, jest } from '@jest/globals'
import { CookieJar, PUBLIC_KEY } from '@/lib/auth/testing'
import { ApiError } from '@/lib/http/api-error'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'

/** The headers that our own page sends, and no page of another site can. */
export const OWN_PAGE = { host: 'site.test', origin: 'http://site.test', 'sec-fetch-site': 'same-origin' }

/** The site in a test: the browser's cookies, the settings, and the stand-in behind them. */
export class RouteSite {
  jar = new CookieJar()
  settings: { url: string; publicKey: string } | null = null
  siteUrl: string | null = null
  #started: Awaited<ReturnType<typeof startAuthServer>> | null = null

  get server(): AuthServer {
    if (!this.#started) throw new Error('The stand-in runs only inside a test.')
    return this.#started.server
  }

  async start(): Promise<void> {
    this.#started = await startAuthServer()
    this.settings = { url: this.#started.url, publicKey: PUBLIC_KEY }
    this.jar = new CookieJar()
    this.siteUrl = null
  }

  async stop(): Promise<void> {
    await this.#started?.stop()
  }

  /** For a test file: puts this site in the place of Next's and the operator's, and restarts it for each test. */
  setUp(): void {
    this.mockModules()
    beforeEach(async () => {
      await this.start()
      // On a slow machine a route would give up while its own code is still loading.
      jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
      // The library warns of what the tests provoke on purpose.
      jest.spyOn(console, 'warn').mockImplementation(() => undefined)
    })
    afterEach(async () => {
      jest.restoreAllMocks()
      await this.stop()
    })
  }

  /** Replaces the cookies and the operator's settings with this site's. Call it before the routes are imported. */
  mockModules(): void {
    const cookies = {
      getAll: () => this.jar.getAll(),
      get: (name: string) => this.jar.cookies.get(name),
      set: (name: string, value: string, options: { maxAge?: number; secure?: boolean }) =>
        this.jar.setAll([{ name, value, options }]),
    }
    jest.unstable_mockModule('next/headers', () => ({ cookies: async () => cookies }))
    jest.unstable_mockModule('./route-cookies', () => ({ routeCookies: () => cookies }))
    jest.unstable_mockModule('@/lib/config/server-settings', () => ({
      serverSettings: () => ({ supabase: this.settings, siteUrl: this.siteUrl }),
    }))
  }
}

/** The typed error that a route throws. */
export async function errorOf(attempt: Promise<Response>): Promise<{ code: string; reason: unknown }> {
  const error: unknown = await attempt.catch((caught: unknown) => caught)
  if (!(error instanceof ApiError)) throw new Error('expected an ApiError')
  return { code: error.code, reason: error.details.reason }
}
