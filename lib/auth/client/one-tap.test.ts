import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { signIn } from '@/lib/auth/testing'
import { signJwt } from '@/test/stand-ins/auth-server-keys'
import { ID_TOKEN_AUDIENCE } from '@/test/stand-ins/auth-server-tokens'
import { linkWithOneTap, oneTapClientId, signInWithOneTap } from './one-tap'
import { TestBrowser } from './testing'

const browser = new TestBrowser()
const credentialsOfNode = Object.getOwnPropertyDescriptor(globalThis.navigator, 'credentials')

beforeEach(() => browser.start())

afterEach(() => {
  if (!credentialsOfNode) Reflect.deleteProperty(globalThis.navigator, 'credentials')
  return browser.stop()
})

/** Mocks a browser dialog that answers with a credential or throws the errors of browsers. */
function dialogAnswers(answer: (nonce: string) => object | null): void {
  Object.defineProperty(globalThis.navigator, 'credentials', {
    configurable: true,
    value: {
      get: async (options: { identity: { providers: { nonce: string; params: { nonce: string } }[] } }) => {
        const [provider] = options.identity.providers
        return answer(provider?.params.nonce ?? '')
      },
    },
  })
}

function idToken(nonce: string): string {
  const exp = Math.floor(Date.now() / 1000) + 60
  const claims = { aud: ID_TOKEN_AUDIENCE, sub: 'google-1', email: 'ada@example.com', nonce, exp }
  return signJwt(browser.server.state.providerKey, claims)
}

const CLIENT = { clientId: 'client-1' }

describe("the browser's sign-in dialog (FedCM)", () => {
  test('signs in with an ID token for its nonce', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(nonce => ({ token: idToken(nonce) }))
    expect((await signInWithOneTap(store, CLIENT)).error).toBeNull()
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('does not sign in with an ID token for another nonce', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(() => ({ token: idToken('caught elsewhere') }))
    expect((await signInWithOneTap(store, CLIENT)).error).toBe('unexpected')
    expect(store.getSnapshot().user).toBeNull()
  })

  test('links an identity to the signed-in user, passing on the access token of its answer', async () => {
    await signIn(browser.server, browser.jar, 'grace@example.com')
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    dialogAnswers(nonce => ({ token: { id_token: idToken(nonce), access_token: 'ya29.access' } }))
    const linked = await linkWithOneTap(store, { ...CLIENT, captchaToken: 'a person' })
    expect(linked.error).toBeNull()
    expect(browser.server.callsTo('/token').at(-1)?.body).toMatchObject({
      provider: 'google',
      access_token: 'ya29.access',
      link_identity: true,
      gotrue_meta_security: { captcha_token: 'a person' },
    })
    expect(store.getSnapshot().user?.email).toBe('grace@example.com')
    const identities = browser.server.state.findUserByEmail('grace@example.com')?.identities ?? []
    expect(identities.map(({ provider }) => provider)).toEqual(['email', 'google'])
  })

  test('is offered for Google only, if the operator configured it and the browser supports it', () => {
    const settings = { ...browser.settings(), googleClientId: 'client-1' }
    const window = { IdentityCredential: class {} }
    Object.defineProperty(globalThis, 'window', { configurable: true, value: window })
    try {
      expect(oneTapClientId(settings, 'google')).toBe('client-1')
      expect(oneTapClientId(settings, 'github')).toBeNull()
      expect(oneTapClientId(browser.settings(), 'google')).toBeNull()
      Reflect.deleteProperty(window, 'IdentityCredential')
      expect(oneTapClientId(settings, 'google')).toBeNull()
    } finally {
      Reflect.deleteProperty(globalThis, 'window')
    }
  })

  test('changes nothing and sends no request when it is closed', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(() => {
      throw new DOMException('closed', 'NetworkError')
    })
    expect((await signInWithOneTap(store, CLIENT)).error).toBe('cancelled')
    dialogAnswers(() => null)
    expect((await signInWithOneTap(store, CLIENT)).error).toBe('unexpected')
    expect(browser.server.calls).toEqual([])
  })
})
