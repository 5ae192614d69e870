import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { NextRequest, NextResponse } from 'next/server'
import { CookieJar, PUBLIC_KEY, signIn } from '@/lib/auth/testing'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'
import { createSigningKey, signJwt } from '@/test/stand-ins/auth-server-keys'
import { boundedFetch } from './bounded-fetch'
import { refreshSession } from './refresh-session'
import { resolveSession } from './resolve-session'
import { createAuthServerClient } from './server-client'
import { keySetOf } from './supabase-settings'

/** More than a busy machine needs, since the stand-in answers. */
const WAIT_MS_MAX = 10_000

let server: AuthServer
let settings: { url: string; publicKey: string }
let stop: () => Promise<void>
let jar: CookieJar

beforeAll(async () => {
  const started = await startAuthServer()
  server = started.server
  stop = started.stop
  settings = { url: started.url, publicKey: PUBLIC_KEY }
})

afterAll(() => stop())

beforeEach(() => {
  jar = new CookieJar()
  // The library logs undecodable cookies to the console.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined)
  jest.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(() => {
  jest.restoreAllMocks()
})

/** Visits a page with these session cookies; true if they were cleared, for the page and the browser. */
async function isCleared(cookies: { name: string; value: string }[]): Promise<boolean> {
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const request = new NextRequest('http://site.test/', { headers: { cookie: header } })
  const sent = cookies.map(({ name }) => name)
  const refresh = await refreshSession(request, settings, WAIT_MS_MAX)
  const set = refresh.applyTo(NextResponse.next()).cookies.getAll()
  const gone = set.filter(({ value, maxAge }) => value === '' && maxAge === 0).map(({ name }) => name)
  return request.cookies.getAll().length === 0 && sent.every(name => gone.includes(name))
}

async function signInWithFiveChunks(): Promise<{ name: string; value: string }[]> {
  const user =
    server.state.findUserByEmail('ada@example.com') ??
    server.state.createUser({ email: 'ada@example.com', provider: 'email' })
  user.user_metadata = { note: 'ä€😀'.repeat(380) }
  await signIn(server, jar)
  return jar.session()
}

function sessionCookie(session: unknown): { name: string; value: string }[] {
  const text = Buffer.from(JSON.stringify(session) ?? '').toString('base64url')
  return [{ name: 'sb-127-auth-token', value: `base64-${text}` }]
}

describe('session cookies damaged one chunk at a time', () => {
  const damages: [string, (value: string) => string | null][] = [
    ['lost', () => null],
    ['empty', () => ''],
    ['cut short', value => value.slice(0, value.length / 2)],
    ['cut by one character', value => value.slice(0, -1)],
    ['with a character changed in the middle', value => `${value.slice(0, 500)}*${value.slice(501)}`],
    ['percent signs alone', () => '%%%'],
    ['of an older generation', value => value.split('').reverse().join('')],
    ['doubled', value => value + value],
  ]

  test.each(damages)('a chunk %s signs out and clears', async (_, damage) => {
    const cookies = await signInWithFiveChunks()
    expect(cookies).toHaveLength(5)
    for (const damaged of cookies) {
      const changed = cookies.flatMap(cookie => {
        const value = cookie.name === damaged.name ? damage(cookie.value) : cookie.value
        return value === null ? [] : [{ name: cookie.name, value }]
      })
      expect({ chunk: damaged.name, cleared: await isCleared(changed) }).toMatchObject({
        cleared: true,
      })
    }
  })

  test('chunks in the wrong order sign out and clear', async () => {
    const cookies = await signInWithFiveChunks()
    const values = cookies.map(({ value }) => value).reverse()
    expect(await isCleared(cookies.map(({ name }, index) => ({ name, value: values[index] ?? '' })))).toBe(
      true,
    )
  })

  test('a whole set of chunks is left alone', async () => {
    expect(await isCleared(await signInWithFiveChunks())).toBe(false)
  })

  test('random bytes anywhere never crash the page', async () => {
    const cookies = await signInWithFiveChunks()
    await fc.assert(
      fc.asyncProperty(
        fc.nat(4),
        fc.nat(3180),
        fc.string({ unit: 'binary-ascii', maxLength: 40 }),
        async (index, at, noise) => {
          const changed = cookies.map((cookie, position) =>
            position === index
              ? {
                  name: cookie.name,
                  value: encodeURIComponent(
                    `${cookie.value.slice(0, at)}${noise}${cookie.value.slice(at + 1)}`,
                  ),
                }
              : cookie,
          )
          expect(typeof (await isCleared(changed))).toBe('boolean')
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('session cookies that are no session', () => {
  const later = Math.floor(Date.now() / 1000) + 3600

  test.each([
    ['null', null],
    ['a number', 5],
    ['a text', 'session'],
    ['a list', []],
    ['an empty object', {}],
    ['without a refresh token', { access_token: 'a.b.c', expires_at: later }],
    ['without an expiry', { access_token: 'a.b.c', refresh_token: 'r' }],
    ['without an access token', { refresh_token: 'r', expires_at: later }],
    ['with a number for a token', { access_token: 5, refresh_token: 'r', expires_at: later }],
    ['with an object for a token', { access_token: {}, refresh_token: 'r', expires_at: later }],
    ['with a text for the expiry', { access_token: 'a.b.c', refresh_token: 'r', expires_at: 'soon' }],
    ['with a broken token', { access_token: 'a.b.c', refresh_token: 'r', expires_at: later }],
    [
      'expired, with an unknown refresh token',
      { access_token: 'a.b.c', refresh_token: 'abcdefabcdef', expires_at: 1 },
    ],
    [
      'expired, with a number for the refresh token',
      { access_token: 'a.b.c', refresh_token: 5, expires_at: 1 },
    ],
    ['expired, with no refresh token', { access_token: 'a.b.c', refresh_token: '', expires_at: 1 }],
  ])('%s: cleared', async (_, session) => {
    expect(await isCleared(sessionCookie(session))).toBe(true)
  })

  test.each(['', 'base64-', 'base64-*', 'base64-eA', '{}', '%E0%A4%A', `base64-${'A'.repeat(9000)}`])(
    'the text %#: cleared',
    async value => {
      expect(await isCleared([{ name: 'sb-127-auth-token', value }])).toBe(true)
    },
  )

  test('a hundred chunks of nothing: cleared', async () => {
    const cookies = Array.from({ length: 100 }, (_, index) => ({
      name: `sb-127-auth-token.${index}`,
      value: 'e30',
    }))
    expect(await isCleared(cookies)).toBe(true)
  })
})

describe('session cookies with a forged access token', () => {
  const later = Math.floor(Date.now() / 1000) + 3600

  function forge(
    header: object,
    changes: object = {},
    key = server.state.signingKeys[0] ?? createSigningKey('ES256'),
  ) {
    const claims = { iss: server.state.issuer, aud: 'authenticated', sub: 'user-1', exp: later, ...changes }
    const access_token = signJwt(key, claims, header)
    return sessionCookie({
      access_token,
      refresh_token: 'abcdefabcdef',
      expires_at: later,
      user: { id: 'user-1' },
    })
  }

  test('each is cleared', async () => {
    expect(await isCleared(forge({}))).toBe(false)
    expect(await isCleared(forge({ alg: 'none' }))).toBe(true)
    expect(await isCleared(forge({ alg: 'HS256' }))).toBe(true)
    expect(await isCleared(forge({}, { aud: 'anon' }))).toBe(true)
    expect(await isCleared(forge({}, { iss: 'https://evil.example' }))).toBe(true)
    expect(
      await isCleared(forge({ kid: server.state.signingKeys[0]?.kid }, {}, createSigningKey('ES256'))),
    ).toBe(true)
    expect(await isCleared(forge({}, { exp: undefined }))).toBe(true)
  })

  test.each([
    ['by a key that we do not know: the service may have a new key', { kid: 'odd' }, {}],
    ['that does not count yet: the clocks may disagree', {}, { nbf: later - 1800 }],
  ])('one %s is not believed, but kept', async (_, header, changes) => {
    const cookies = forge(header, changes)
    expect(await isCleared(cookies)).toBe(false)
    const auth = await createAuthServerClient(settings, { getAll: () => cookies, secure: false, fetch })
    const resolved = await resolveSession(auth, keySetOf(settings), boundedFetch(1000))
    expect(resolved).toEqual({ status: 'unknown', reason: 'unverifiable' })
  })

  test('one that expired, in a cookie that says otherwise, is refreshed or cleared', async () => {
    expect(await isCleared(forge({}, { exp: later - 7200 }))).toBe(true)
  })
})

describe('clocks that disagree', () => {
  test.each([-86_400, 86_400])('by %p seconds keep the cookies and ask once a visit', async offset => {
    // The library refreshes once, whatever the result.
    server.state.clockOffsetSeconds = offset
    await signIn(server, jar)
    const before = server.callsTo('/token').length
    expect(await isCleared(jar.session())).toBe(false)
    expect(server.callsTo('/token').length - before).toBeLessThanOrEqual(1)
    server.state.clockOffsetSeconds = 0
  })
})
