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
  test('loads nothing when nobody is signed in', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    await browser.settle()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
    expect(browser.openCount).toBe(0)
    expect(browser.server.calls).toEqual([])
  })

  test('that was opened signed out loads nothing until another tab signs in, and then follows it', async () => {
    const store = browser.openTab({ status: 'signed-out' })
    const session = await signIn(browser.server, browser.jar)
    expect(browser.openCount).toBe(0)
    await browser.postFromAnotherTab({ event: 'SIGNED_IN', session })
    expect(store.getSnapshot()).toMatchObject({ user: { email: 'ada@example.com' }, loading: false })
    expect(browser.openCount).toBe(1)
  })

  test("is not moved by another tab's farewell when nobody is signed in here", async () => {
    browser.openTab({ status: 'signed-out' })
    await browser.postFromAnotherTab({ event: 'SIGNED_OUT', session: null })
    expect(browser.openCount).toBe(0)
  })

  test('starts with the user that the server saw, and never says anything else meanwhile', async () => {
    const session = await signIn(browser.server, browser.jar)
    const user = toAuthUser(session.user)
    const store = browser.openTab({ status: 'signed-in', user })
    const seen = [store.getServerSnapshot().user?.id, store.getSnapshot().user?.id]
    store.subscribe(() => seen.push(store.getSnapshot().user?.id))
    await browser.settle()
    expect(new Set(seen)).toEqual(new Set([session.user.id]))
    expect(browser.openCount).toBe(1)
  })

  test('loads when the server could not tell, and then knows', async () => {
    const session = await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    expect(store.getSnapshot().loading).toBe(true)
    await browser.settle()
    expect(store.getSnapshot()).toMatchObject({ user: { id: session.user.id }, loading: false, error: null })
  })

  test('is signed out when the cookies hold no session after all', async () => {
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
  })

  test('removes a session that is not valid', async () => {
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

  test('knows of a session that has ended, once it is asked again', async () => {
    const session = await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'signed-in', user: toAuthUser(session.user) })
    await browser.settle()
    browser.jar.cookies.clear()
    await store.refreshUser()
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'sessionEnded' })
  })

  test('says why when the code cannot be loaded, and tries again when asked', async () => {
    let failing = true
    const open = async () => {
      if (failing) throw Object.assign(new Error('Loading chunk 5 failed.'), { name: 'ChunkLoadError' })
      const cookies = { getAll: browser.jar.getAll, setAll: browser.jar.setAll }
      return createAuthBrowserClient(browser.settings(), {
        secure: false,
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
