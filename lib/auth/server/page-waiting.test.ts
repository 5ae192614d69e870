import { expect, jest, test } from '@jest/globals'
import { signIn } from '@/lib/auth/testing'
import { RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { refreshSession } = await import('./refresh-session')
const { sessionFromRequest } = await import('./session-from-request')

/** One page view: the middleware, then the page. */
async function view() {
  const refresh = await refreshSession(site.jar.request())
  const session = await sessionFromRequest()
  return { refresh, session }
}

test('consecutive page views ask for unavailable signing keys only once', async () => {
  await signIn(site.server, site.jar)
  site.server.faults.push({ path: '/.well-known/jwks.json', status: 503, count: 99 })
  const views = [await view(), await view()]
  expect(views.map(({ session }) => session)).toEqual([{ status: 'unknown' }, { status: 'unknown' }])
  expect(site.server.callsTo('/.well-known/jwks.json')).toHaveLength(1)
  expect(site.jar.sessionNames()).toHaveLength(1)
})

test('a page view waits two seconds in total at most', async () => {
  await signIn(site.server, site.jar)
  const timeout = jest.mocked(AbortSignal.timeout).mockClear()
  expect((await view()).session).toMatchObject({ status: 'signed-in' })
  const [middleware = 0, ...others] = timeout.mock.calls.map(([ms]) => ms)
  expect(middleware + (others.at(-1) ?? 0)).toBe(2_000)
})

test('a page is shown with nobody known to be signed in when the keys do not come in time', async () => {
  await signIn(site.server, site.jar)
  const late = new AbortController()
  jest.mocked(AbortSignal.timeout).mockImplementation(() => late.signal)
  const asked = globalThis.fetch
  jest.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    if (!String(input).endsWith('/jwks.json')) return asked(input, init)
    late.abort()
    return new Promise(() => {})
  })
  expect(await sessionFromRequest()).toEqual({ status: 'unknown' })
  expect(site.jar.sessionNames()).toHaveLength(1)
})

test('a page does not refresh a session, since it cannot keep the new one', async () => {
  site.server.state.options.jwtExpSeconds = -60
  await signIn(site.server, site.jar)
  const before = site.server.callsTo('/token').length
  expect(await sessionFromRequest()).toEqual({ status: 'unknown' })
  expect(site.server.callsTo('/token')).toHaveLength(before)
})
