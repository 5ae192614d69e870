import { describe, expect, test } from '@jest/globals'
import { CookieJar, signIn } from '@/lib/auth/testing'
import { errorOf, OWN_PAGE, RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { signOutByForm } = await import('./sign-out')

describe('signing out', () => {
  const form = (body: string, headers: Record<string, string> = OWN_PAGE) =>
    new Request('http://site.test/auth/sign-out', { method: 'POST', headers, body })

  test('ends this session only', async () => {
    await signIn(site.server, new CookieJar())
    await signIn(site.server, site.jar)
    const [name = ''] = site.jar.sessionNames()
    site.jar.setAll([
      { name: `${name}.old`, value: 'x' },
      { name: 'theme', value: 'dark' },
    ])
    const response = await signOutByForm(form('scope=local&return_path=/de'))
    expect(response.headers.get('location')).toBe('/de')
    expect([...site.jar.cookies.keys()]).toEqual([`${name}.old`, 'theme'])
    expect(site.server.state.sessions.size).toBe(1)
  })

  test('everywhere ends all sessions of the user', async () => {
    await signIn(site.server, new CookieJar())
    await signIn(site.server, new CookieJar(), 'grace@example.com')
    await signIn(site.server, site.jar)
    await signOutByForm(form('scope=global'))
    expect(site.server.state.sessions.size).toBe(1)
    expect(site.jar.sessionNames()).toEqual([])
  })

  test.each([
    [
      'everywhere, reports that only this browser could be signed out',
      'global',
      '/account?auth_error=signedOutHereOnly#sign-in',
    ],
    ['here, has nothing to report', 'local', '/'],
  ])('%s, if the service fails', async (_, scope, location) => {
    await signIn(site.server, site.jar)
    site.server.faults.push({ path: '/logout', status: 503, count: 1 })
    const response = await signOutByForm(form(`scope=${scope}`))
    expect(response.headers.get('location')).toBe(location)
    expect(site.jar.sessionNames()).toEqual([])
  })

  test('never redirects to another site', async () => {
    const response = await signOutByForm(form('return_path=//evil.example'))
    expect(response.headers.get('location')).toBe('/')
  })

  test.each([
    ['another site', { ...OWN_PAGE, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling site', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { ...OWN_PAGE, origin: 'null' }],
    ['another port', { ...OWN_PAGE, origin: 'http://site.test:8080' }],
    ['a prefix of our name', { host: 'site.test', origin: 'http://site.test.evil.example' }],
    ['an unknown origin', { host: 'site.test' }],
    ['an invalid origin', { host: 'site.test', origin: 'site.test' }],
  ])('is refused when the form comes from %s', async (_, headers) => {
    await signIn(site.server, site.jar)
    expect(await errorOf(signOutByForm(form('scope=global', headers)))).toMatchObject({ code: 'forbidden' })
    expect(site.jar.sessionNames()).toHaveLength(1)
  })

  test('is accepted from a browser that sends an Origin or says that it is ours, and through a proxy', async () => {
    const old = await signOutByForm(form('', { host: 'site.test', origin: 'http://site.test' }))
    expect(old.status).toBe(303)
    // As pages read: a GET has no Origin.
    const bare = await signOutByForm(form('', { host: 'site.test', 'sec-fetch-site': 'same-origin' }))
    expect(bare.status).toBe(303)
    const headers = { host: 'app:3000', 'x-forwarded-host': 'site.test', origin: 'https://site.test' }
    expect((await signOutByForm(form('', headers))).status).toBe(303)
  })
})
