import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { CookieJar, signIn } from '@/lib/auth/testing'
import { TestBrowser } from './testing'

const HOUR_MS = 3_600_000

const browser = new TestBrowser()

beforeEach(() => browser.start())

afterEach(() => browser.stop())

describe('refreshing a session in the browser', () => {
  test('happens when at most 90 seconds are left, checked every 30 seconds', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    await browser.passTime(HOUR_MS - 150_000)
    expect(browser.refreshCount()).toBe(0)
    await browser.passTime(60_000)
    expect(browser.refreshCount()).toBe(1)
    await browser.passTime(HOUR_MS / 2)
    expect(browser.refreshCount()).toBe(1)
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('happens at the start if the session expires within 90 seconds, and not otherwise', async () => {
    await signIn(browser.server, browser.jar)
    jest.setSystemTime(Date.now() + HOUR_MS - 91_000)
    browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(browser.refreshCount()).toBe(0)
    jest.setSystemTime(Date.now() + 2_000)
    browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(browser.refreshCount()).toBe(1)
  })

  test('is retried after 200 ms, 400 ms, 800 ms …, and given up before 30 s', async () => {
    await signIn(browser.server, browser.jar)
    browser.server.faults.push({ path: '/token', status: 503, count: 99 })
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const startedAt = Date.now()
    const times: number[] = []
    browser.openTab(
      { status: 'unknown' },
      {
        fetch: (input, init) => {
          times.push(Date.now() - startedAt)
          return browser.server.fetch(input, init)
        },
      },
    )
    await browser.settle()
    for (let second = 0; second < 40; second += 1) await browser.passTime(1000)
    expect(times.slice(0, 8)).toEqual([0, 200, 600, 1400, 3000, 6200, 12_600, 25_400])
  })

  test('keeps the session while the auth service is unreachable, and succeeds afterwards', async () => {
    await signIn(browser.server, browser.jar)
    const before = browser.jar.session()
    browser.server.faults.push({ path: '/token', status: 'cut', count: 8 })
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    for (let second = 0; second < 40; second += 1) await browser.passTime(1000)
    expect(browser.jar.session()).toEqual(before)
    expect(store.getSnapshot()).toMatchObject({ loading: false, error: 'unreachable' })
    await browser.passTime(120_000)
    expect(store.getSnapshot()).toMatchObject({ user: { email: 'ada@example.com' }, error: null })
  })

  test('removes the session when the service refuses the refresh token', async () => {
    await signIn(browser.server, browser.jar)
    browser.server.state.sessions.clear()
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(browser.jar.sessionNames()).toEqual([])
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'sessionEnded' })
  })

  test('removes the session when its token has become too large for cookies', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    for (const user of browser.server.state.users.values())
      user.user_metadata = { picture: 'x'.repeat(40_000) }
    await browser.passTime(HOUR_MS - 90_000)
    expect(browser.jar.sessionNames()).toEqual([])
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'sessionEnded' })
  })

  test('reports nothing when the refresh is refused because the person is leaving', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    browser.server.state.sessions.clear()
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    await store.signOut('local')
    await browser.settle()
    expect(browser.refreshCount()).toBe(1)
    expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: null })
  })

  test.each([400, 401, 403])(
    'removes the session in all tabs when its refresh is refused with %p, although its access token is valid',
    async status => {
      await signIn(browser.server, browser.jar)
      const store = browser.openTab({ status: 'unknown' })
      await browser.settle()
      browser.server.faults.push({ path: '/token', status, count: 1 })
      await browser.passTime(HOUR_MS - 90_000)
      expect(browser.refreshCount()).toBe(1)
      expect(browser.jar.sessionNames()).toEqual([])
      expect(store.getSnapshot()).toEqual({ user: null, loading: false, error: 'sessionEnded' })
    },
  )

  test.each([408, 409, 422, 429, 540])(
    'keeps an expired session when its refresh is answered with %p, and tries again',
    async status => {
      await signIn(browser.server, browser.jar)
      browser.server.faults.push({ path: '/token', status, count: 1 })
      jest.setSystemTime(Date.now() + HOUR_MS + 1000)
      const store = browser.openTab({ status: 'unknown' })
      await browser.settle()
      await browser.passTime(1000)
      expect(store.getSnapshot()).toMatchObject({ user: { email: 'ada@example.com' }, error: null })
    },
  )

  test.each([
    ['a firewall’s page', 403, '<html>Forbidden</html>'],
    ['the page of a project that is gone', 404, '<html>Not found</html>'],
    ['a gateway that refuses the public key', 401, '{"message":"Invalid API key","hint":"Double check it."}'],
    ['a gateway that gives its status as the code', 401, '{"code":401,"message":"Unauthorized"}'],
  ])('keeps an expired session when its refresh is answered by %s', async (_what, status, text) => {
    await signIn(browser.server, browser.jar)
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const answers = [new Response(text, { status })]
    const store = browser.openTab(
      { status: 'unknown' },
      {
        fetch: async (input, init) =>
          (String(input).includes('refresh_token') && answers.pop()) || browser.server.fetch(input, init),
      },
    )
    await browser.settle()
    await browser.passTime(1000)
    expect(answers).toEqual([])
    expect(store.getSnapshot()).toMatchObject({ user: { email: 'ada@example.com' }, error: null })
  })

  test.each([408, 409, 429, 503])('keeps a valid session if answered with %p', async status => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    browser.server.faults.push({ path: '/token', status, count: 1 })
    await browser.passTime(HOUR_MS - 90_000)
    expect(browser.jar.sessionNames()).toHaveLength(1)
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('keeps a newer session of another tab when the old refresh token is refused', async () => {
    await signIn(browser.server, browser.jar)
    const refused = Promise.withResolvers<Response>()
    const store = browser.openTab(
      { status: 'unknown' },
      {
        fetch: (input, init) =>
          String(input).includes('refresh_token') ? refused.promise : browser.server.fetch(input, init),
      },
    )
    await browser.settle()
    await browser.passTime(HOUR_MS - 90_000)
    await signIn(browser.server, browser.jar)
    const newer = browser.jar.session()
    refused.resolve(Response.json({ code: 'refresh_token_already_used' }, { status: 400 }))
    await browser.settle()
    expect(browser.jar.session()).toEqual(newer)
    expect(store.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('in five tabs in parallel leaves all of them signed in with the same session', async () => {
    await signIn(browser.server, browser.jar)
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const tabs = Array.from({ length: 5 }, () => browser.openTab({ status: 'unknown' }))
    await browser.settle()
    for (const tab of tabs) expect(tab.getSnapshot().user?.email).toBe('ada@example.com')
    jest.setSystemTime(Date.now() + HOUR_MS + 1000)
    const later = browser.openTab({ status: 'unknown' })
    await browser.settle()
    expect(later.getSnapshot().user?.email).toBe('ada@example.com')
  })

  test('works with a clock that is a day slow or fast', async () => {
    for (const offset of [-86_400, 86_400]) {
      browser.server.state.clockOffsetSeconds = offset
      browser.jar = new CookieJar()
      await signIn(browser.server, browser.jar)
      const before = browser.refreshCount()
      const store = browser.openTab({ status: 'unknown' })
      await browser.settle()
      await browser.passTime(300_000)
      expect(store.getSnapshot().user?.email).toBe('ada@example.com')
      // At each check the library finds that the new session has expired, too; the service allows 150 refreshes in this
      // time.
      expect(browser.refreshCount() - before).toBeLessThanOrEqual(30)
    }
  })
})
