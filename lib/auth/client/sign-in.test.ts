import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { signIn } from '@/lib/auth/testing'
import { onCallOutcome } from '@/lib/http/client/watched-fetch'
import type { CallOutcome } from '@/lib/http/domain/call-outcome'
import { sha256Hex, signJwt } from '@/test/stand-ins/auth-server-keys'
import { ID_TOKEN_AUDIENCE } from '@/test/stand-ins/auth-server-tokens'
import { authResult } from './auth-result'
import { type AuthBrowserClient, createAuthBrowserClient } from './browser-client'
import { createNonce, linkIdToken, signInWithIdToken } from './id-token'
import { listIdentities, unlinkIdentity } from './identities'
import { showLinkedCredit } from './linked-credit'
import { loadWaysIn } from './service-settings'
import { SessionStore } from './session-store'
import { leaveForProvider, signInWithPasskey, verifyEmailCode } from './sign-in'
import { signOut } from './sign-out'
import { TestBrowser } from './testing'

const browser = new TestBrowser()

beforeEach(() => browser.start())

afterEach(() => browser.stop())

/** Replaces Node’s AbortSignal.timeout, which runs on the real clock. */
function limitByTheTestsClock(): void {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('too slow', 'TimeoutError')), ms)
    return controller.signal
  })
}

describe('signing in', () => {
  test('with a passkey fails with a reason in a browser that has none', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    expect(await signInWithPasskey(store, {})).toEqual({ data: null, error: 'webauthnMissing' })
  })

  test('works with a mailed code, and reports a wrong one', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    const client = await store.client()
    await client.signInWithOtp({ email: 'ada@example.com' })
    expect(await verifyEmailCode(store, { email: 'ada@example.com', code: 'wrong' })).toEqual({
      data: null,
      error: 'codeExpired',
    })
    const code = browser.server.state.emailCodes.get('ada@example.com')?.code ?? ''
    expect((await verifyEmailCode(store, { email: 'ada@example.com', code })).error).toBeNull()
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('is refused with a session whose cookies would be too large for every request', async () => {
    const { server, jar } = browser
    const user = server.state.createUser({ email: 'ada@example.com', provider: 'email' })
    user.user_metadata = { picture: 'x'.repeat(40_000) }
    const store = browser.openTab({ status: 'signed-out' })
    await (await store.client()).signInWithOtp({ email: 'ada@example.com' })
    const code = server.state.emailCodes.get('ada@example.com')?.code ?? ''
    expect((await verifyEmailCode(store, { email: 'ada@example.com', code })).error).toBe('sessionTooLarge')
    expect(jar.sessionNames()).toEqual([])
  })

  describe('when completed on the server', () => {
    const fetchOfNode = globalThis.fetch
    let asked: string[]
    let answer: Response

    beforeEach(() => {
      asked = []
      globalThis.fetch = async (input, init) => {
        asked.push(`${init?.method} ${input}`)
        return answer
      }
    })

    afterEach(() => {
      globalThis.fetch = fetchOfNode
    })

    async function signInByCode() {
      const store = browser.openTab({ status: 'signed-out' })
      await (await store.client()).signInWithOtp({ email: 'ada@example.com' })
      const code = browser.server.state.emailCodes.get('ada@example.com')?.code ?? ''
      return { store, result: await verifyEmailCode(store, { email: 'ada@example.com', code }) }
    }

    test('succeeds and posts to /auth/complete', async () => {
      answer = new Response(null, { status: 204 })
      const { store, result } = await signInByCode()
      expect(result.error).toBeNull()
      expect(asked).toEqual(['POST /auth/complete'])
      expect(store.getSnapshot().user?.email).toBe('ada@example.com')
    })

    test.each(['signingKeys', 'issuer'])(
      'reports that the auth service is misconfigured: %s',
      async reason => {
        answer = Response.json({ error: { reason } }, { status: 403 })
        const { store, result } = await signInByCode()
        expect(result).toEqual({ data: null, error: reason })
        expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: reason })
        expect(browser.jar.sessionNames()).toEqual([])
      },
    )

    test('reports each call to listeners, also those to the auth service', async () => {
      globalThis.fetch = async (input, init) =>
        String(input).startsWith('/')
          ? new Response(null, { status: 500 })
          : browser.server.fetch(input, init)
      const told: CallOutcome[] = []
      const stopListening = onCallOutcome(outcome => told.push(outcome))
      const { jar } = browser
      const settings = browser.settings()
      const store = new SessionStore({ status: 'signed-out' }, async onEnded =>
        createAuthBrowserClient(settings, {
          secure: false,
          onEnded,
          cookies: { getAll: jar.getAll, setAll: jar.setAll },
        }),
      )
      await loadWaysIn(settings)
      await verifyEmailCode(store, { email: 'ada@example.com', code: 'wrong' })
      await signInWithIdToken(store, { provider: 'google', nonce: '', idToken: idToken(undefined) })
      await showLinkedCredit()
      stopListening()
      await (await store.client()).stopAutoRefresh()
      expect(told.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
        'GET http://auth.test/auth/v1/settings 200',
        'POST http://auth.test/auth/v1/verify 403',
        'POST http://auth.test/auth/v1/token?grant_type=id_token 200',
        'POST /auth/complete 500',
        'GET /api/account/credit 500',
      ])
    })

    test('succeeds even if the server does not answer properly', async () => {
      answer = new Response('bad gateway', { status: 502 })
      const { store, result } = await signInByCode()
      expect(result.error).toBeNull()
      expect(store.getSnapshot().user?.email).toBe('ada@example.com')
    })
  })

  function idToken(hashedNonce: string | undefined, changes: object = {}) {
    return signJwt(browser.server.state.providerKey, {
      aud: ID_TOKEN_AUDIENCE,
      sub: 'google-1',
      email: 'ada@example.com',
      nonce: hashedNonce,
      exp: Math.floor(Date.now() / 1000) + 60,
      ...changes,
    })
  }

  test('works with an ID token and its nonce, and refuses a missing or foreign nonce', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    const { nonce, hashedNonce } = await createNonce()
    expect(hashedNonce).toBe(sha256Hex(nonce))
    const input = { provider: 'google', nonce, captchaToken: 'captcha' }
    expect((await signInWithIdToken(store, { ...input, idToken: idToken(undefined) })).error).toBe(
      'unexpected',
    )
    expect((await signInWithIdToken(store, { ...input, idToken: idToken(sha256Hex('other')) })).error).toBe(
      'unexpected',
    )
    expect((await signInWithIdToken(store, { ...input, idToken: idToken(hashedNonce) })).error).toBeNull()
    const sent = browser.server.callsTo('/token').at(-1)?.body
    expect(sent).toMatchObject({
      provider: 'google',
      nonce,
      gotrue_meta_security: { captcha_token: 'captcha' },
    })
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('offers the methods that the auth service has enabled', async () => {
    expect(await loadWaysIn(browser.settings(), browser.server.fetch)).toEqual({
      data: { email: true, passkey: true, providers: ['google', 'github'] },
      error: null,
    })
    const answers = [
      async () => Response.json({}),
      async () => new Response('<html>'),
      async () => new Response('', { status: 500 }),
    ]
    for (const answer of answers) {
      expect(await loadWaysIn(browser.settings(), answer)).toEqual({ data: null, error: 'unreachable' })
    }
  })

  const calls: [string, (client: AuthBrowserClient) => Promise<{ data: unknown; error: unknown }>][] = [
    ['requesting a code', (client: AuthBrowserClient) => client.signInWithOtp({ email: 'ada@example.com' })],
    [
      'checking a code',
      (client: AuthBrowserClient) => client.verifyOtp({ email: 'a@b.c', token: '1', type: 'email' }),
    ],
    [
      'checking an identity',
      (client: AuthBrowserClient) => client.signInWithIdToken({ provider: 'google', token: 't' }),
    ],
    ['loading the user', (client: AuthBrowserClient) => client.getUser('token')],
  ]
  test.each(calls)('ends with an error message when the auth service hangs while %s', async (_, call) => {
    limitByTheTestsClock()
    const asked = Promise.withResolvers<void>()
    const hanging: typeof fetch = (_input, init) => {
      asked.resolve()
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    }
    const store = browser.openTab({ status: 'signed-out' }, { fetch: hanging })
    const answer = authResult(store.client().then(call))
    await asked.promise
    await browser.passTime(10_000)
    expect(await Promise.race([answer, 'still waiting'])).toEqual({ data: null, error: 'unreachable' })
  })

  test('is undone by signing out, here or everywhere', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect((await signOut(store, 'global')).error).toBeNull()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
    expect(browser.server.state.sessions.size).toBe(0)
    expect(browser.jar.sessionNames()).toEqual([])
  })
})

test('a provider is asked for the scopes and parameters of the settings, for signing in and linking', async () => {
  const fetchOfNode = globalThis.fetch
  const location = { pathname: '/account', search: '', origin: 'http://site.test' }
  Object.defineProperty(globalThis, 'window', { configurable: true, value: { location } })
  globalThis.fetch = async () => new Response(null, { status: 204 })
  try {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    const providerParameters = { github: { scopes: 'read:user gist', login: 'ada' } }
    const settings = { ...browser.settings(), providerParameters }
    const asked = (await leaveForProvider(store, settings, { provider: 'github', purpose: 'sign_in' })).data
    expect(asked).toMatchObject({ provider: 'github' })
    const { searchParams } = new URL(Reflect.get(asked ?? {}, 'url'))
    await leaveForProvider(store, settings, { provider: 'github', purpose: 'link' })
    for (const query of [searchParams, browser.server.callsTo('/user/identities/authorize')[0]?.query]) {
      expect(Object.fromEntries(query ?? [])).toMatchObject({
        provider: 'github',
        redirect_to: expect.stringContaining('http://site.test/auth/callback'),
        scopes: 'read:user gist',
        login: 'ada',
        code_challenge_method: 's256',
      })
    }
    await leaveForProvider(store, settings, { provider: 'google', purpose: 'link' })
    const plain = browser.server.callsTo('/user/identities/authorize')[1]?.query
    expect([plain?.has('scopes'), plain?.has('login')]).toEqual([false, false])
  } finally {
    Reflect.deleteProperty(globalThis, 'window')
    globalThis.fetch = fetchOfNode
  }
})

describe('identities', () => {
  test('can be linked by an ID token and unlinked, except the last one', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    const { nonce, hashedNonce } = await createNonce()
    const claims = {
      aud: ID_TOKEN_AUDIENCE,
      sub: 'google-1',
      email: 'a@gmail.example',
      nonce: hashedNonce,
      exp: Math.floor(Date.now() / 1000) + 60,
    }
    const linked = await linkIdToken(store, {
      provider: 'google',
      nonce,
      idToken: signJwt(browser.server.state.providerKey, claims),
    })
    expect(linked.error).toBeNull()
    expect(browser.server.callsTo('/token').at(-1)?.body).toMatchObject({ link_identity: true })
    const identities = (await listIdentities(store)).data ?? []
    expect(identities.map(({ provider }) => provider)).toEqual(['email', 'google'])
    const [email, google] = identities
    if (!email || !google) throw new Error('two identities expected')
    expect((await unlinkIdentity(store, google, identities)).error).toBeNull()
    expect(await unlinkIdentity(store, email, [email])).toEqual({ data: null, error: 'lastIdentity' })
    expect(await unlinkIdentity(store, email, identities)).toEqual({ data: null, error: 'lastIdentity' })
  })
})
