import { describe, expect, test } from '@jest/globals'
import { encodeAuthFlow } from '@/lib/auth/domain/auth-flow'
import { browserClient, CookieJar, signIn } from '@/lib/auth/testing'
import { ApiError } from '@/lib/http/api-error'
import { processRateLimits } from '@/lib/http/rate-limits'
import { listenToLog } from '@/test/support/log-lines'
import { errorOf, OWN_PAGE, RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { completeSignIn, finishCodeSignIn, finishMailedLink } = await import('./finish-sign-in')

function rememberFlow(flow: { returnPath: string; email: string | null }): void {
  site.jar.setAll([{ name: 'auth-flow', value: encodeAuthFlow(flow) }])
}

/** Collects what is logged about sign-in, line by line. */
function listenToTheLog(): () => string[] {
  const log = listenToLog()
  return () => log.messages().filter(message => message.startsWith('Sign-in: '))
}

/** Takes the browser to the provider and back; returns the request to our callback. */
async function comeBackFromProvider(): Promise<Request> {
  const { data } = await browserClient(site.server, site.jar).signInWithOAuth({
    provider: 'github',
    options: { redirectTo: 'http://site.test/auth/callback', skipBrowserRedirect: true },
  })
  const redirect = await site.server.fetch(data.url ?? '')
  return new Request(redirect.headers.get('location') ?? '')
}

describe('coming back from a social sign-in', () => {
  test('exchanges the code and returns to where it began', async () => {
    rememberFlow({ returnPath: '/de/top-up?amount=5', email: null })
    const response = await finishCodeSignIn(await comeBackFromProvider())
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/de/top-up?amount=5')
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(site.jar.sessionNames()).toHaveLength(1)
    expect(site.jar.cookies.has('auth-flow')).toBe(false)
  })

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/auth/sign-out'])(
    'never returns to %s',
    async returnPath => {
      rememberFlow({ returnPath, email: null })
      const response = await finishCodeSignIn(await comeBackFromProvider())
      expect(response.headers.get('location')).toBe('/account')
    },
  )

  test('asks the service no more of an address that has asked too much', async () => {
    const request = await comeBackFromProvider()
    const callCount = site.server.calls.length
    const refuse = async () => Promise.reject(new ApiError('rate_limited', 'Too much.'))
    processRateLimits().current = { take: refuse }
    const response = await finishCodeSignIn(request)
    processRateLimits().current = null
    expect(response.headers.get('location')).toBe('/account?auth_error=unreachable')
    expect(site.server.calls).toHaveLength(callCount)
  })

  test('refuses a code that another browser began with', async () => {
    const request = await comeBackFromProvider()
    site.jar = new CookieJar()
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test('refuses a code under the verifier of another flow', async () => {
    const request = await comeBackFromProvider()
    site.jar = new CookieJar()
    await comeBackFromProvider()
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test('refuses a code the second time', async () => {
    const request = await comeBackFromProvider()
    const verifiers = site.jar.getAll()
    await finishCodeSignIn(request)
    site.jar = new CookieJar()
    site.jar.setAll(verifiers)
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound')
  })

  test.each([
    ['signs by a shared secret', { algorithm: 'HS256' as const }, 'signingKeys', /ES256/],
    ['calls itself otherwise', { issuer: 'https://elsewhere.test' }, 'issuer', /NEXT_PUBLIC_SUPABASE_URL/],
  ])(
    'from a service that %s stores nothing, and tells person and operator',
    async (_, options, key, advice) => {
      const logged = listenToTheLog()
      Object.assign(site.server.state.options, options)
      site.server.state.rotateSigningKey()
      site.server.state.dropOldKeys()
      const response = await finishCodeSignIn(await comeBackFromProvider())
      expect(response.headers.get('location')).toBe(`/account?auth_error=${key}`)
      expect(site.jar.sessionNames()).toEqual([])
      await finishCodeSignIn(await comeBackFromProvider())
      expect(logged()).toEqual([expect.stringMatching(advice)])
    },
  )

  test('says that the person refused at the provider', async () => {
    site.server.state.nextSocialIdentity = null
    const response = await finishCodeSignIn(await comeBackFromProvider())
    expect(response.headers.get('location')).toBe('/account?auth_error=cancelled')
  })

  test('says that the service does not answer', async () => {
    const request = await comeBackFromProvider()
    site.server.faults.push({ path: '/token', status: 503, count: 9 })
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=unreachable')
  })

  test.each(['', '?code=', `?code=${'a'.repeat(600)}`, '?code=x&code=y', '?error=%3Cscript%3E'])(
    'survives the address %s',
    async query => {
      const response = await finishCodeSignIn(new Request(`http://site.test/auth/callback${query}`))
      expect(response.headers.get('location')).toMatch(/^\/account\?auth_error=[a-zA-Z]+$/)
    },
  )

  test('is not there when sign-in is not configured', async () => {
    site.settings = null
    expect(
      await errorOf(finishCodeSignIn(new Request('http://site.test/auth/callback?code=1'))),
    ).toMatchObject({ code: 'not_found' })
  })
})

describe('a mailed link', () => {
  async function mailTo(email: string): Promise<Request> {
    await browserClient(site.server, site.jar).signInWithOtp({ email })
    const tokenHash = site.server.state.emailCodes.get(email)?.tokenHash
    return new Request(`http://site.test/auth/confirm?token_hash=${tokenHash}&type=email`)
  }

  test('signs in the browser that asked for it', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const response = await finishMailedLink(await mailTo('ada@example.com'))
    expect(response.headers.get('location')).toBe('/account')
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test('does not sign in another browser, and is not used up there', async () => {
    const request = await mailTo('ada@example.com')
    site.jar = new CookieJar()
    const response = await finishMailedLink(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere')
    expect(site.server.state.emailCodes.has('ada@example.com')).toBe(true)
  })

  test("does not sign a person in to a stranger's account, although one began to sign in here", async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const response = await finishMailedLink(await mailTo('mallory@example.com'))
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test("of another account leaves the visitor signed in, and ends the other's session", async () => {
    await signIn(site.server, site.jar, 'ada@example.com')
    const before = site.jar.session()
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const response = await finishMailedLink(await mailTo('mallory@example.com'))
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere')
    expect(site.jar.session()).toEqual(before)
    const mallory = site.server.state.findUserByEmail('mallory@example.com')
    const owners = [...site.server.state.sessions.values()].map(({ userId }) => userId)
    expect(owners).toHaveLength(1)
    expect(owners).not.toContain(mallory?.id)
  })

  test('of the first of two addresses that must agree asks for the other, and ends nothing', async () => {
    await signIn(site.server, site.jar)
    const before = site.jar.session()
    rememberFlow({ returnPath: '/account', email: 'ada@new.example' })
    site.server.state.halfConfirmations.add('abc')
    const link = new Request('http://site.test/auth/confirm?token_hash=abc&type=email_change')
    expect((await finishMailedLink(link)).headers.get('location')).toBe('/account?auth_error=halfConfirmed')
    expect(site.jar.session()).toEqual(before)
    expect(site.server.state.sessions.size).toBe(1)
    const callback = new Request('http://site.test/auth/callback?message=Confirmation+link+accepted')
    expect((await finishCodeSignIn(callback)).headers.get('location')).toBe(
      '/account?auth_error=halfConfirmed',
    )
  })

  test.each(['sms', 'phone_change', '', 'EMAIL', '__proto__'])('of the kind %j is refused', async type => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const request = new Request(`http://site.test/auth/confirm?token_hash=abc&type=${type}`)
    expect((await finishMailedLink(request)).headers.get('location')).toBe(
      '/account?auth_error=linkElsewhere',
    )
    expect(site.server.callsTo('/verify')).toEqual([])
  })
})

describe('a sign-in that ended within the page', () => {
  const complete = (headers: Record<string, string> = OWN_PAGE) =>
    completeSignIn(new Request('http://site.test/auth/complete', { method: 'POST', headers }))

  test('forgets whom a mail was sent to', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    await signIn(site.server, site.jar)
    expect((await complete()).status).toBe(204)
    expect(site.jar.cookies.has('auth-flow')).toBe(false)
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test.each([
    ['a shared secret', { algorithm: 'HS256' as const }, 'signingKeys'],
    ['another issuer', { issuer: 'https://elsewhere.test' }, 'issuer'],
  ])('is told that its session will not be believed: %s', async (_, options, reason) => {
    const logged = listenToTheLog()
    Object.assign(site.server.state.options, options)
    site.server.state.rotateSigningKey()
    site.server.state.dropOldKeys()
    await signIn(site.server, site.jar)
    expect(await errorOf(complete())).toEqual({ code: 'forbidden', reason })
    expect(logged()).toHaveLength(1)
  })

  test('is not ended by another site', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const foreign = { host: 'site.test', origin: 'http://evil.example' }
    expect(await errorOf(complete(foreign))).toMatchObject({ code: 'forbidden' })
    expect(site.jar.cookies.has('auth-flow')).toBe(true)
  })
})
