import { describe, expect, test } from '@jest/globals'
import { NextResponse } from 'next/server'
import { encodeAuthFlow } from '@/lib/auth/domain/auth-flow'
import { browserClient, signIn } from '@/lib/auth/testing'
import { OWN_PAGE, RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { beginSignIn } = await import('./begin-sign-in')
const { finishMailedLink } = await import('./finish-sign-in')
const { refreshSession } = await import('./refresh-session')

/** The origin behind a proxy that terminates TLS without announcing it. */
const PLAIN_HTTP = 'http://site.test'

test.each([
  ['http://site.test', {}, false],
  ['https://site.test', {}, true],
  ['http://site.test', { 'x-forwarded-proto': 'https' }, true],
])(
  'a site that is not told its address writes at %s with %j cookies that are Secure: %p',
  async (origin, forwarded, secure) => {
    const body = JSON.stringify({ return_path: '/', email: null })
    const headers = { ...OWN_PAGE, origin, ...forwarded }
    await beginSignIn(new Request(`${origin}/auth/begin`, { method: 'POST', headers, body }))
    expect(site.jar.cookies.get('auth-flow')?.secure).toBe(secure)
  },
)

describe.each([
  ['https://site.test', true],
  ['http://site.test', false],
  [null, false],
])(
  'with SITE_URL %p, behind a proxy that does not announce https, cookies are Secure: %p',
  (siteUrl, secure) => {
    test('when a sign-in begins', async () => {
      site.siteUrl = siteUrl
      const body = JSON.stringify({ return_path: '/', email: null })
      await beginSignIn(new Request(`${PLAIN_HTTP}/auth/begin`, { method: 'POST', headers: OWN_PAGE, body }))
      expect(site.jar.cookies.get('auth-flow')?.secure).toBe(secure)
    })

    test('when a mailed link signs in', async () => {
      site.siteUrl = siteUrl
      const email = 'ada@example.com'
      await browserClient(site.server, site.jar).signInWithOtp({ email })
      site.jar.setAll([{ name: 'auth-flow', value: encodeAuthFlow({ returnPath: '/', email }) }])
      const tokenHash = site.server.state.emailCodes.get(email)?.tokenHash
      await finishMailedLink(new Request(`${PLAIN_HTTP}/auth/confirm?token_hash=${tokenHash}&type=email`))
      const written = site.jar.sessionNames().map(name => site.jar.cookies.get(name)?.secure)
      expect(written).toEqual([secure])
    })

    test('when a page refreshes the session', async () => {
      site.siteUrl = siteUrl
      site.server.state.options.jwtExpSeconds = 60
      await signIn(site.server, site.jar)
      const refresh = await refreshSession(site.jar.request())
      const [written] = refresh.applyTo(NextResponse.next()).cookies.getAll()
      expect(written?.secure ?? false).toBe(secure)
    })
  },
)
