import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { signJwt } from '@/test/stand-ins/auth-server-keys'
import { ID_TOKEN_AUDIENCE } from '@/test/stand-ins/auth-server-tokens'
import { signInWithOneTap } from './one-tap'
import { TestBrowser } from './testing'

const browser = new TestBrowser()
const credentialsOfNode = Object.getOwnPropertyDescriptor(globalThis.navigator, 'credentials')

beforeEach(() => browser.start())

afterEach(() => {
  if (!credentialsOfNode) Reflect.deleteProperty(globalThis.navigator, 'credentials')
  return browser.stop()
})

/** A browser dialog that answers with a credential, or ends as browsers say it ends. */
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

describe("the browser's own sign-in dialog", () => {
  test('signs in with a token for the nonce that it was given', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(nonce => ({ token: idToken(nonce) }))
    expect((await signInWithOneTap(store, 'client-1')).error).toBeNull()
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('signs nobody in with a token for another nonce', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(() => ({ token: idToken('caught elsewhere') }))
    expect((await signInWithOneTap(store, 'client-1')).error).toBe('unexpected')
    expect(store.getSnapshot().user).toBeNull()
  })

  test('that is closed changes nothing and asks nobody', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    dialogAnswers(() => {
      throw new DOMException('closed', 'NetworkError')
    })
    expect((await signInWithOneTap(store, 'client-1')).error).toBe('cancelled')
    dialogAnswers(() => null)
    expect((await signInWithOneTap(store, 'client-1')).error).toBe('unexpected')
    expect(browser.server.calls).toEqual([])
  })
})
