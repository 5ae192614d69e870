import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { NextRequest, NextResponse } from 'next/server'
import { SESSION_ENDED_COOKIE } from '@/lib/auth/domain/session-state'
import { CookieJar, PUBLIC_KEY, signIn } from '@/lib/auth/testing'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'
import { createSigningKey, signJwt } from '@/test/stand-ins/auth-server-keys'
import { boundedFetch } from './bounded-fetch'
import { refreshSession } from './refresh-session'
import { resolveSession } from './resolve-session'
import { createAuthServerClient } from './server-client'
import { keySetOf } from './supabase-settings'

/** More than a busy machine needs, since the stand-in always answers. */
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
  const response = refresh.applyTo(NextResponse.next())
  const set = response.cookies.getAll()
  const gone = set.filter(({ value, maxAge }) => value === '' && maxAge === 0).map(({ name }) => name)
  // Nobody else's cookies may be cleared by a copy of this response.
  if (gone.length > 0) expect(response.headers.get('cache-control')).toContain('no-store')
  const left = request.cookies.getAll().filter(({ name }) => name !== SESSION_ENDED_COOKIE)
  return left.length === 0 && sent.every(name => gone.includes(name))
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

describe('session cookies with a damaged chunk', () => {
  const damages: [string, (value: string) => string | null][] = [
    ['lost', () => null],
    ['empty', () => ''],
    ['cut short', value => value.slice(0, value.length / 2)],
    ['cut by one character', value => value.slice(0, -1)],
    ['with a character changed in the middle', value => `${value.slice(0, 500)}*${value.slice(501)}`],
    ['percent signs alone', () => '%%%'],
    ['in reverse order', value => value.split('').reverse().join('')],
    ['doubled', value => value + value],
  ]

  test.each(damages)('with a chunk %s are cleared', async (_, damage) => {
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

  test('with chunks in the wrong order are cleared', async () => {
    const cookies = await signInWithFiveChunks()
    const values = cookies.map(({ value }) => value).reverse()
    expect(await isCleared(cookies.map(({ name }, index) => ({ name, value: values[index] ?? '' })))).toBe(
      true,
    )
  })

  test('with all chunks intact are kept', async () => {
    expect(await isCleared(await signInWithFiveChunks())).toBe(false)
  })

  test('with random bytes anywhere never crash the page', async () => {
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

test('session cookies in plain JSON, as earlier versions of the library wrote them, are kept', async () => {
  await signIn(server, jar, 'grace@example.com')
  const [{ name, value } = { name: '', value: '' }] = jar.session()
  const plain = Buffer.from(value.replace(/^base64-/, ''), 'base64url').toString()
  expect(await isCleared([{ name, value: encodeURIComponent(plain) }])).toBe(false)
  const getAll = () => [{ name, value: plain }]
  const auth = await createAuthServerClient(settings, { getAll, secure: false, fetch })
  const resolved = await resolveSession(auth, keySetOf(settings), boundedFetch(WAIT_MS_MAX))
  expect(resolved.status).toBe('signed-in')
})

describe('session cookies without a valid session', () => {
  const later = Math.floor(Date.now() / 1000) + 3600

  test.each([
    ['null', null],
    ['a number', 5],
    ['a string', 'session'],
    ['a list', []],
    ['an empty object', {}],
    ['without a refresh token', { access_token: 'a.b.c', expires_at: later }],
    ['without an expiry', { access_token: 'a.b.c', refresh_token: 'r' }],
    ['without an access token', { refresh_token: 'r', expires_at: later }],
    ['with a number for a token', { access_token: 5, refresh_token: 'r', expires_at: later }],
    ['with an object for a token', { access_token: {}, refresh_token: 'r', expires_at: later }],
    ['with a string for the expiry', { access_token: 'a.b.c', refresh_token: 'r', expires_at: 'soon' }],
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
  ])('are cleared: %s', async (_, session) => {
    expect(await isCleared(sessionCookie(session))).toBe(true)
  })

  test.each(['', 'base64-', 'base64-*', 'base64-eA', '{}', '%E0%A4%A', `base64-${'A'.repeat(9000)}`])(
    'are cleared: the text of case %#',
    async value => {
      expect(await isCleared([{ name: 'sb-127-auth-token', value }])).toBe(true)
    },
  )

  test('are cleared: a hundred empty chunks', async () => {
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

  test('are cleared', async () => {
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
    ['signed by an unknown key (the service may have a new key)', { kid: 'odd' }, {}],
    ['not valid yet (the clocks may differ)', {}, { nbf: later - 1800 }],
  ])('%s are not trusted, but kept', async (_, header, changes) => {
    const cookies = forge(header, changes)
    expect(await isCleared(cookies)).toBe(false)
    const auth = await createAuthServerClient(settings, { getAll: () => cookies, secure: false, fetch })
    const resolved = await resolveSession(auth, keySetOf(settings), boundedFetch(30_000))
    expect(resolved).toEqual({ status: 'unknown', reason: 'unverifiable' })
  })

  test('that has expired, unlike its cookie, are refreshed or cleared', async () => {
    expect(await isCleared(forge({}, { exp: later - 7200 }))).toBe(true)
  })
})

describe('clocks that differ', () => {
  test.each([-86_400, 86_400])('by %p seconds keep the cookies and refresh at most once', async offset => {
    // The library refreshes once, whatever the result.
    server.state.clockOffsetSeconds = offset
    await signIn(server, jar)
    const before = server.callsTo('/token').length
    expect(await isCleared(jar.session())).toBe(false)
    expect(server.callsTo('/token').length - before).toBeLessThanOrEqual(1)
    server.state.clockOffsetSeconds = 0
  })
})
