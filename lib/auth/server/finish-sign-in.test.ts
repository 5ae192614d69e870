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

describe('the callback of a social sign-in', () => {
  test('exchanges the code and redirects to the return path', async () => {
    rememberFlow({ returnPath: '/de/top-up?amount=5', email: null })
    const response = await finishCodeSignIn(await comeBackFromProvider())
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/de/top-up?amount=5')
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(site.jar.sessionNames()).toHaveLength(1)
    expect(site.jar.cookies.has('auth-flow')).toBe(false)
  })

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/auth/sign-out'])(
    'never redirects to %s',
    async returnPath => {
      rememberFlow({ returnPath, email: null })
      const response = await finishCodeSignIn(await comeBackFromProvider())
      expect(response.headers.get('location')).toBe('/account#sign-in')
    },
  )

  test('does not ask the auth service for a rate-limited address', async () => {
    const request = await comeBackFromProvider()
    const callCount = site.server.calls.length
    const refuse = async () => Promise.reject(new ApiError('rate_limited', 'Too much.'))
    processRateLimits().current = { take: refuse }
    const response = await finishCodeSignIn(request)
    processRateLimits().current = null
    expect(response.headers.get('location')).toBe('/account?auth_error=unreachable#sign-in')
    expect(site.server.calls).toHaveLength(callCount)
  })

  test('refuses the code of another browser’s sign-in', async () => {
    const request = await comeBackFromProvider()
    site.jar = new CookieJar()
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound#sign-in')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test.each([
    ['first', false],
    ['last', true],
  ])('completes two sign-ins that were begun at once, the %s one first', async (_, reversed) => {
    const requests = [await comeBackFromProvider(), await comeBackFromProvider()]
    for (const request of reversed ? requests.reverse() : requests) {
      const response = await finishCodeSignIn(request)
      expect(response.headers.get('location')).toBe('/account#sign-in')
      expect(site.jar.sessionNames()).toHaveLength(1)
    }
    expect(site.jar.getAll().filter(({ name }) => /-flow-.*-code-verifier$/.test(name))).toEqual([])
  })

  test('refuses a code with the verifier of another flow', async () => {
    const request = await comeBackFromProvider()
    site.jar = new CookieJar()
    await comeBackFromProvider()
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound#sign-in')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test('refuses a code that was already used', async () => {
    const request = await comeBackFromProvider()
    const verifiers = site.jar.getAll()
    await finishCodeSignIn(request)
    site.jar = new CookieJar()
    site.jar.setAll(verifiers)
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=flowNotFound#sign-in')
  })

  test.each([
    ['signs with a shared secret', { algorithm: 'HS256' as const }, 'signingKeys', /ES256/],
    ['has another issuer', { issuer: 'https://elsewhere.test' }, 'issuer', /NEXT_PUBLIC_SUPABASE_URL/],
  ])(
    'from an auth service that %s stores no session, and informs user and operator',
    async (_, options, key, advice) => {
      const logged = listenToTheLog()
      Object.assign(site.server.state.options, options)
      site.server.state.rotateSigningKey()
      site.server.state.dropOldKeys()
      const response = await finishCodeSignIn(await comeBackFromProvider())
      expect(response.headers.get('location')).toBe(`/account?auth_error=${key}#sign-in`)
      expect(site.jar.sessionNames()).toEqual([])
      await finishCodeSignIn(await comeBackFromProvider())
      expect(logged()).toEqual([expect.stringMatching(advice)])
    },
  )

  test('reports that the user cancelled at the provider', async () => {
    site.server.state.nextSocialIdentity = null
    const response = await finishCodeSignIn(await comeBackFromProvider())
    expect(response.headers.get('location')).toBe('/account?auth_error=cancelled#sign-in')
  })

  test('reports that the auth service does not answer', async () => {
    const request = await comeBackFromProvider()
    site.server.faults.push({ path: '/token', status: 503, count: 9 })
    const response = await finishCodeSignIn(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=unreachable#sign-in')
  })

  test.each(['', '?code=', `?code=${'a'.repeat(600)}`, '?code=x&code=y', '?error=%3Cscript%3E'])(
    'answers the query %j with an error, without crashing',
    async query => {
      const response = await finishCodeSignIn(new Request(`http://site.test/auth/callback${query}`))
      expect(response.headers.get('location')).toMatch(/^\/account\?auth_error=[a-zA-Z]+#sign-in$/)
    },
  )

  test('is not found if sign-in is not configured', async () => {
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

  test('signs in the browser that requested it', async () => {
    // As it was typed; the service knows it in lower case.
    rememberFlow({ returnPath: '/account', email: 'Ada@Example.com' })
    const response = await finishMailedLink(await mailTo('ada@example.com'))
    expect(response.headers.get('location')).toBe('/account')
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test('signs in when it is opened again, once the auth service answers', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const request = await mailTo('ada@example.com')
    site.server.faults.push({ path: '/verify', status: 503, count: 1 })
    expect((await finishMailedLink(request)).headers.get('location')).toBe(
      '/account?auth_error=unreachable#sign-in',
    )
    expect((await finishMailedLink(request)).headers.get('location')).toBe('/account')
    expect(site.jar.sessionNames()).toHaveLength(1)
    expect(site.jar.cookies.has('auth-flow')).toBe(false)
  })

  test('that is opened again after it has signed in is no failure', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const request = await mailTo('ada@example.com')
    await finishMailedLink(request)
    expect((await finishMailedLink(request)).headers.get('location')).toBe('/account#sign-in')
    // As the service itself tells of a link that it has looked at.
    const query = 'error=access_denied&error_code=otp_expired'
    const callback = new Request(`http://site.test/auth/callback?${query}`)
    expect((await finishCodeSignIn(callback)).headers.get('location')).toBe('/account#sign-in')
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test('that is too old, or was used before, says so', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const request = await mailTo('ada@example.com')
    site.server.state.emailCodes.clear()
    expect((await finishMailedLink(request)).headers.get('location')).toBe(
      '/account?auth_error=linkOver#sign-in',
    )
  })

  test('does not sign in another browser, and stays valid', async () => {
    const request = await mailTo('ada@example.com')
    site.jar = new CookieJar()
    const response = await finishMailedLink(request)
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere#sign-in')
    expect(site.server.state.emailCodes.has('ada@example.com')).toBe(true)
  })

  test("for another email address than this browser's started sign-in is refused", async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const response = await finishMailedLink(await mailTo('mallory@example.com'))
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere#sign-in')
    expect(site.jar.sessionNames()).toEqual([])
  })

  test('of another account keeps the current session, and ends the new one', async () => {
    await signIn(site.server, site.jar, 'ada@example.com')
    const before = site.jar.session()
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const response = await finishMailedLink(await mailTo('mallory@example.com'))
    expect(response.headers.get('location')).toBe('/account?auth_error=linkElsewhere#sign-in')
    expect(site.jar.session()).toEqual(before)
    const mallory = site.server.state.findUserByEmail('mallory@example.com')
    const owners = [...site.server.state.sessions.values()].map(({ userId }) => userId)
    expect(owners).toHaveLength(1)
    expect(owners).not.toContain(mallory?.id)
  })

  test('of the first of two addresses to confirm asks for the other one, and ends no session', async () => {
    await signIn(site.server, site.jar)
    const before = site.jar.session()
    rememberFlow({ returnPath: '/account', email: 'ada@new.example' })
    site.server.state.halfConfirmations.add('abc')
    const link = new Request('http://site.test/auth/confirm?token_hash=abc&type=email_change')
    expect((await finishMailedLink(link)).headers.get('location')).toBe(
      '/account?auth_error=halfConfirmed#sign-in',
    )
    expect(site.jar.session()).toEqual(before)
    expect(site.server.state.sessions.size).toBe(1)
    const callback = new Request('http://site.test/auth/callback?message=Confirmation+link+accepted')
    expect((await finishCodeSignIn(callback)).headers.get('location')).toBe(
      '/account?auth_error=halfConfirmed#sign-in',
    )
  })

  test('of the second of two addresses to confirm completes the change', async () => {
    await signIn(site.server, site.jar)
    const auth = browserClient(site.server, site.jar)
    await auth.updateUser({ email: 'ada@new.example' })
    rememberFlow({ returnPath: '/account', email: 'ada@new.example' })
    site.server.state.halfConfirmations.add('abc')
    const tokenHash = site.server.state.emailCodes.get('ada@new.example')?.tokenHash
    const answers = []
    for (const each of ['abc', tokenHash]) {
      const link = new Request(`http://site.test/auth/confirm?token_hash=${each}&type=email_change`)
      answers.push((await finishMailedLink(link)).headers.get('location'))
    }
    expect(answers).toEqual(['/account?auth_error=halfConfirmed#sign-in', '/account'])
  })

  test.each(['sms', 'phone_change', '', 'EMAIL', '__proto__'])('of type %j is refused', async type => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const request = new Request(`http://site.test/auth/confirm?token_hash=abc&type=${type}`)
    expect((await finishMailedLink(request)).headers.get('location')).toBe(
      '/account?auth_error=linkElsewhere#sign-in',
    )
    expect(site.server.callsTo('/verify')).toEqual([])
  })
})

describe('completing a sign-in within the page', () => {
  const complete = (headers: Record<string, string> = OWN_PAGE) =>
    completeSignIn(new Request('http://site.test/auth/complete', { method: 'POST', headers }))

  test('removes the cookie of the started sign-in', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    await signIn(site.server, site.jar)
    expect((await complete()).status).toBe(204)
    expect(site.jar.cookies.has('auth-flow')).toBe(false)
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test.each([
    ['a shared secret', { algorithm: 'HS256' as const }, 'signingKeys'],
    ['another issuer', { issuer: 'https://elsewhere.test' }, 'issuer'],
  ])('is refused if its session cannot be verified: %s', async (_, options, reason) => {
    const logged = listenToTheLog()
    Object.assign(site.server.state.options, options)
    site.server.state.rotateSigningKey()
    site.server.state.dropOldKeys()
    await signIn(site.server, site.jar)
    expect(await errorOf(complete())).toEqual({ code: 'forbidden', reason })
    expect(logged()).toHaveLength(1)
  })

  test('is refused to other sites', async () => {
    rememberFlow({ returnPath: '/account', email: 'ada@example.com' })
    const foreign = { host: 'site.test', origin: 'http://evil.example' }
    expect(await errorOf(complete(foreign))).toMatchObject({ code: 'forbidden' })
    expect(site.jar.cookies.has('auth-flow')).toBe(true)
  })
})
