import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { toAuthUser } from '@/lib/auth/domain/auth-user'
import { signIn } from '@/lib/auth/testing'
import { createAuthBrowserClient } from './browser-client'
import { SessionStore } from './session-store'
import { TestBrowser } from './testing'

const browser = new TestBrowser()

beforeEach(() => browser.start())

afterEach(() => browser.stop())

describe('the session store', () => {
  test('loads no auth code and sends no request when signed out', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    await browser.settle()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
    expect(browser.openCount).toBe(0)
    expect(browser.server.calls).toEqual([])
  })

  test('opened signed out stays idle until another tab signs in, and then adopts its session', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    const session = await signIn(browser.server, browser.jar)
    expect(browser.openCount).toBe(0)
    await browser.postFromAnotherTab({ event: 'SIGNED_IN', session })
    expect(store.getSnapshot()).toMatchObject({ user: { email: 'ada@example.com' }, loading: false })
    expect(browser.openCount).toBe(1)
  })

  test('opened signed out ignores another tab’s sign-out', async () => {
    browser.openTab({ status: 'signed-out' })
    await browser.postFromAnotherTab({ event: 'SIGNED_OUT', session: null })
    expect(browser.openCount).toBe(0)
  })

  test('starts with the server’s user and keeps it while loading', async () => {
    const session = await signIn(browser.server, browser.jar)
    const user = toAuthUser(session.user)
    const store = browser.openTab({ status: 'signed-in', user })
    const seen = [store.getServerSnapshot().user?.id, store.getSnapshot().user?.id]
    store.subscribe(() => seen.push(store.getSnapshot().user?.id))
    await browser.settle()
    expect(new Set(seen)).toEqual(new Set([session.user.id]))
    expect(browser.openCount).toBe(1)
  })

  test('is loading if the server could not verify the session, and then has the user', async () => {
    const session = await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    expect(store.getSnapshot().loading).toBe(true)
    await browser.settle()
    expect(store.getSnapshot()).toMatchObject({ user: { id: session.user.id }, loading: false, error: null })
  })

  test('is signed out after loading if the cookies hold no session', async () => {
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
  })

  test('removes an invalid session', async () => {
    browser.jar.setAll([
      {
        name: 'sb-auth-auth-token',
        value: `base64-${Buffer.from('{"access_token":"a"}').toString('base64url')}`,
      },
    ])
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(browser.jar.sessionNames()).toEqual([])
    expect(store.getSnapshot().user).toBeNull()
  })

  test('reports an ended session when the user is refreshed', async () => {
    const session = await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'signed-in', user: toAuthUser(session.user) })
    await browser.settle()
    browser.jar.cookies.clear()
    await store.refreshUser()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'sessionEnded' })
  })

  test.each([
    ['refused', 'before', 'signingKeys'],
    ['refused', 'after', 'signingKeys'],
    ['left', 'before', null],
    ['left', 'after', null],
  ])(
    'whose session was %s here ignores who was signed in, if the service was asked %s and answers later',
    async (what, when, error) => {
      const session = await signIn(browser.server, browser.jar)
      const ended = Promise.withResolvers<void>()
      const store = browser.openTab(
        { status: 'signed-in', user: toAuthUser(session.user) },
        {
          fetch: async (input, init) => {
            if (!String(input).endsWith('/user')) return browser.server.fetch(input, init)
            if (when === 'after') await ended.promise
            const answer = await browser.server.fetch(input, init)
            await ended.promise
            return answer
          },
        },
      )
      await browser.settle()
      const asked = store.refreshUser()
      await browser.settle()
      await (what === 'refused' ? store.refuse('signingKeys') : store.signOut('local'))
      ended.resolve()
      await asked
      expect(store.getSnapshot()).toEqual({ user: null, loading: false, error })
    },
  )

  test('reports a failure to load the auth code, and tries again on request', async () => {
    let failing = true
    const open = async (onEnded: () => void) => {
      if (failing) throw Object.assign(new Error('Loading chunk 5 failed.'), { name: 'ChunkLoadError' })
      const cookies = { getAll: browser.jar.getAll, setAll: browser.jar.setAll }
      return createAuthBrowserClient(browser.settings(), {
        secure: false,
        onEnded,
        cookies,
        fetch: browser.server.fetch,
      })
    }
    const store = new SessionStore({ status: 'unknown' }, open)
    store.start()
    await browser.settle()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'unreachable' })
    failing = false
    await (await store.client()).stopAutoRefresh()
    expect(store.getSnapshot().error).toBe('unreachable')
  })
})
