import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { NextRequest, NextResponse } from 'next/server'
import createIntlMiddleware from 'next-intl/middleware'
import { SESSION_ENDED_COOKIE } from '@/lib/auth/domain/session-state'
import { CookieJar, PUBLIC_KEY, signIn } from '@/lib/auth/testing'
import { ApiError } from '@/lib/http/api-error'
import { processRateLimits, type RateLimits } from '@/lib/http/rate-limits'
import { log } from '@/lib/observability/log'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'
import { refreshSession } from './refresh-session'

/** Short, so that a test of a failing service does not take long. */
const SHORT_WAIT_MS = 300
/** Longer than a busy machine takes. */
const LONG_WAIT_MS = 30_000
const FOUR_HUNDRED_DAYS_SECONDS = 34_560_000
/** What the account page says it by. */
const SESSION_ENDED = { name: SESSION_ENDED_COOKIE, value: '1' }
const localise = createIntlMiddleware({
  locales: ['en', 'de'],
  defaultLocale: 'en',
  localePrefix: 'as-needed',
})

let server: AuthServer
let settings: { url: string; publicKey: string }
let stop: () => Promise<void>
let jar: CookieJar

beforeEach(async () => {
  const started = await startAuthServer()
  server = started.server
  stop = started.stop
  settings = { url: started.url, publicKey: PUBLIC_KEY }
  jar = new CookieJar()
  jest.spyOn(console, 'warn').mockImplementation(() => undefined)
})

afterEach(async () => {
  jest.restoreAllMocks()
  processRateLimits().current = null
  await stop()
})

/** One page request through the middleware: what the browser receives, and what the page sees. */
async function visit(waitMsMax = LONG_WAIT_MS) {
  const request = jar.request()
  const refresh = await refreshSession(request, settings, waitMsMax)
  const response = refresh.applyTo(localise(request))
  const pageCookies = new NextRequest('http://site.test/', {
    headers: { cookie: response.headers.get('x-middleware-request-cookie') ?? '' },
  }).cookies
  const set = response.cookies.getAll().filter(cookie => cookie.name.startsWith('sb-'))
  jar.setAll(set.map(({ name, value, maxAge }) => ({ name, value, options: { maxAge } })))
  return { response, set, pageCookies }
}

function refreshCount(): number {
  return server.callsTo('/token').filter(call => call.query.get('grant_type') === 'refresh_token').length
}

/**
 * Makes a session grow or shrink at its next refresh, because the token contains what the service stores about the
 * person.
 */
function setMetadataLength(length: number): void {
  for (const user of server.state.users.values())
    user.user_metadata = length > 0 ? { note: 'x'.repeat(length) } : {}
}

/** Signs in with a session that expires soon, as if an hour had passed. */
async function signInExpiring(metadataLength = 0): Promise<void> {
  await signIn(server, jar)
  setMetadataLength(metadataLength)
  const seconds = server.state.options.jwtExpSeconds
  server.state.options.jwtExpSeconds = 60
  jar.cookies.clear()
  await signIn(server, jar)
  server.state.options.jwtExpSeconds = seconds
}

describe('the middleware, for the session,', () => {
  test('does nothing without a session cookie', async () => {
    const { response, set } = await visit()
    expect(set).toEqual([])
    expect(response.headers.get('cache-control')).toBeNull()
    expect(server.calls).toEqual([])
  })

  test('does nothing for other cookies, including those of another project', async () => {
    jar.setAll([
      { name: 'theme', value: 'dark' },
      { name: 'sb-other-auth-token', value: 'base64-e30' },
      { name: 'sb-127-auth-token-code-verifier', value: 'base64-Ing' },
    ])
    await visit()
    expect(server.calls).toEqual([])
    expect(jar.sessionNames()).toEqual(['sb-other-auth-token'])
  })

  test('does nothing when sign-in is not configured', async () => {
    await signIn(server, jar)
    const request = jar.request()
    const cookies = request.headers.get('cookie')
    const refresh = await refreshSession(request, null)
    expect(refresh.applyTo(NextResponse.next()).cookies.getAll()).toEqual([])
    expect(request.headers.get('cookie')).toBe(cookies)
  })

  test('keeps a session that lasts longer than 90 seconds', async () => {
    await signIn(server, jar)
    const { set } = await visit()
    expect(set).toEqual([])
    expect(refreshCount()).toBe(0)
  })

  test('refreshes a session that expires within 90 seconds, and gives page and browser the new tokens', async () => {
    await signInExpiring()
    const before = jar.session()
    const { response, set, pageCookies } = await visit()
    expect(refreshCount()).toBe(1)
    expect(set).toHaveLength(1)
    expect(set[0]).toMatchObject({ path: '/', sameSite: 'lax', maxAge: FOUR_HUNDRED_DAYS_SECONDS })
    expect(pageCookies.getAll()).toEqual(jar.getAll())
    expect(jar.session()).not.toEqual(before)
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(response.headers.get('pragma')).toBe('no-cache')
    expect(response.headers.get('expires')).toBe('0')
  })

  test('stores only the user data that the site needs', async () => {
    await signInExpiring(0)
    setMetadataLength(3700)
    const { set } = await visit()
    const { user, ...session } = JSON.parse(sessionText(set))
    expect(Object.keys(session).sort()).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'token_type',
    ])
    expect(user).toMatchObject({ email: 'ada@example.com', user_metadata: {} })
    expect(JSON.stringify(user).length).toBeLessThan(400)
  })

  test('clears the session when its token has become too large for cookies', async () => {
    await signInExpiring()
    setMetadataLength(40_000)
    await visit()
    expect(jar.sessionNames()).toEqual([])
  })

  test('clears the cookies at once when the refresh is refused, although the access token is still valid', async () => {
    await signInExpiring()
    jar.forgetCodeVerifiers()
    server.faults.push({ path: '/token', status: 400, count: 1 })
    const { pageCookies } = await visit()
    expect(jar.sessionNames()).toEqual([])
    expect(pageCookies.getAll()).toEqual([SESSION_ENDED])
  })

  test.each([
    ['one chunk to five', 0, 6500, 1, 5],
    ['five chunks to one', 3700, 0, 5, 1],
    ['one to two', 0, 1000, 1, 2],
    ['five to two', 3700, 1000, 5, 2],
  ])(
    'leaves no old chunk behind when the session changes from %s',
    async (_, before, after, chunksBefore, chunksAfter) => {
      await signInExpiring(before)
      expect(jar.sessionNames()).toHaveLength(chunksBefore)
      setMetadataLength(after)
      const { pageCookies, set } = await visit()
      expect(jar.sessionNames()).toHaveLength(chunksAfter)
      expect(
        pageCookies
          .getAll()
          .map(({ name }) => name)
          .filter(name => !name.endsWith('-code-verifier'))
          .sort(),
      ).toEqual(jar.sessionNames())
      for (const { value } of set) expect(encodeURIComponent(value).length).toBeLessThanOrEqual(3180)
      const { set: setAgain } = await visit()
      expect(setAgain).toEqual([])
    },
  )

  test('clears the cookies when the refresh token was used long ago', async () => {
    await signInExpiring()
    for (const session of server.state.sessions.values()) {
      const [first] = session.refreshTokens
      if (!first) continue
      Object.assign(first, { revoked: true, updatedAtMs: 0 })
    }
    server.state.clockOffsetSeconds = 3600
    await expireStoredSession()
    jar.forgetCodeVerifiers()
    const { set, pageCookies } = await visit()
    expect(set.every(cookie => cookie.value === '' && cookie.maxAge === 0)).toBe(true)
    expect(jar.sessionNames()).toEqual([])
    expect(pageCookies.getAll()).toEqual([SESSION_ENDED])
  })

  test.each([408, 429, 500, 503, 'cut'] as const)(
    'keeps the cookies when the service answers %p',
    async status => {
      await signInExpiring()
      await expireStoredSession()
      const before = jar.session()
      server.faults.push({ path: '/token', status, count: 99 })
      await visit(SHORT_WAIT_MS)
      expect(jar.session()).toEqual(before)
    },
  )

  test.each([
    ['is rate-limited', async () => Promise.reject(new ApiError('rate_limited', 'Too much.'))],
    ['has no answer from the rate limiter in time', () => new Promise<void>(() => {})],
  ])('sends no request for an address that %s, and keeps the cookies', async (_, take) => {
    await signInExpiring()
    await expireStoredSession()
    const [before, countBefore] = [jar.session(), refreshCount()]
    processRateLimits().current = { take }
    const warn = jest.spyOn(log, 'warn')
    await visit(SHORT_WAIT_MS)
    expect(warn).not.toHaveBeenCalled()
    expect(refreshCount()).toBe(countBefore)
    expect(jar.session()).toEqual(before)
  })

  test.each([
    [503, 1],
    ['cut', 1],
    [400, 0],
  ] as const)(
    'an operator is warned of a service that does not answer, but not that it refuses: %p',
    async (status, count) => {
      await signInExpiring()
      await expireStoredSession()
      server.faults.push({ path: '/token', status, count: 99 })
      const warn = jest.spyOn(log, 'warn').mockImplementation(() => undefined)
      jest.spyOn(console, 'error').mockImplementation(() => undefined)
      await visit(SHORT_WAIT_MS)
      expect(warn.mock.calls).toEqual(Array(count).fill(['the sign-in service did not answer in time']))
    },
  )

  test('an operator reads once why the service refuses a session, unless it has only ended', async () => {
    const info = jest.spyOn(log, 'info').mockImplementation(() => undefined)
    jest.spyOn(console, 'error').mockImplementation(() => undefined)
    await signInExpiring()
    server.faults.push({ path: '/token', status: 400, count: 99 })
    await visit()
    expect(info.mock.calls).toEqual([['the sign-in service refused to renew a session: unexpected_failure']])
    server.faults.length = 0
    await signInExpiring()
    server.state.sessions.clear()
    await visit()
    expect(jar.sessionNames()).toEqual([])
    expect(info).toHaveBeenCalledTimes(1)
  })

  test('counts its request towards the visitor’s rate limit', async () => {
    await signInExpiring()
    await expireStoredSession()
    const take = jest.fn<RateLimits['take']>(async () => {})
    processRateLimits().current = { take }
    await visit()
    expect(take.mock.calls).toEqual([['sign_in', expect.any(Headers)]])
  })

  test('reads every answer of a busy service, to free its connection', async () => {
    await signInExpiring()
    await expireStoredSession()
    server.faults.push({ path: '/token', status: 429, count: 99 })
    const deadline = new AbortController()
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
    const asked = jest.spyOn(globalThis, 'fetch')
    const visited = visit()
    // The second time, the first answer has been dealt with.
    while (asked.mock.calls.length < 2) await nextTurn()
    deadline.abort()
    await visited
    const answers: unknown[] = await Promise.all(
      asked.mock.results.map(({ value }) => Promise.resolve(value).catch(() => ({ bodyUsed: true }))),
    )
    expect(answers).not.toContainEqual(expect.objectContaining({ bodyUsed: false }))
  })

  test('gives five parallel tabs the same valid session', async () => {
    await signInExpiring()
    const tabs = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const tab = new CookieJar()
        tab.setAll(jar.getAll())
        const refresh = await refreshSession(tab.request(), settings, LONG_WAIT_MS)
        return refresh.applyTo(NextResponse.next()).cookies.getAll()
      }),
    )
    for (const set of tabs) jar.setAll(set.map(({ name, value }) => ({ name, value })))
    await expireStoredSession()
    await visit()
    expect(jar.sessionNames()).toEqual(['sb-127-auth-token'])
  })
})

function sessionText(cookies: { value: string }[]): string {
  const text = cookies.map(({ value }) => value).join('')
  return Buffer.from(text.slice('base64-'.length), 'base64url').toString()
}

/** Changes the stored expiry, so that the access token counts as expired and has to be refreshed. */
async function expireStoredSession(): Promise<void> {
  const session: unknown = JSON.parse(sessionText(jar.session()))
  const expired = { ...Object(session), expires_at: Math.floor(Date.now() / 1000) - 10 }
  const [name = ''] = jar.sessionNames()
  jar.setAll([{ name, value: `base64-${Buffer.from(JSON.stringify(expired)).toString('base64url')}` }])
}
