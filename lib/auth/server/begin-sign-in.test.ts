import { describe, expect, test } from '@jest/globals'
import { decodeAuthFlow } from '@/lib/auth/domain/auth-flow'
import { errorOf, OWN_PAGE, RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { beginSignIn } = await import('./begin-sign-in')

describe('beginning to sign in', () => {
  const begin = (body: unknown, headers: Record<string, string> = OWN_PAGE) =>
    beginSignIn(
      new Request('http://site.test/auth/begin', { method: 'POST', headers, body: JSON.stringify(body) }),
    )

  test('sets a cookie with return path and email', async () => {
    expect((await begin({ return_path: '/de/account?tab=1', email: 'ada@example.com' })).status).toBe(204)
    const flow = decodeAuthFlow(site.jar.cookies.get('auth-flow')?.value)
    expect(flow).toEqual({ returnPath: '/de/account?tab=1', email: 'ada@example.com' })
  })

  test('keeps the address of a mail that is on its way when another way to sign in is begun', async () => {
    await begin({ return_path: '/', email: 'ada@example.com' })
    await begin({ return_path: '/de/account', email: null })
    const flow = decodeAuthFlow(site.jar.cookies.get('auth-flow')?.value)
    expect(flow).toEqual({ returnPath: '/de/account', email: 'ada@example.com' })
  })

  test('stores no return path to another site', async () => {
    await begin({ return_path: '//evil.example', email: null })
    expect(decodeAuthFlow(site.jar.cookies.get('auth-flow')?.value)?.returnPath).toBe('/account#sign-in')
  })

  test('returns to the account page if the address is too long to be kept', async () => {
    const returnPath = `/account?utm_content=${'x'.repeat(3_000)}`
    expect((await begin({ return_path: returnPath, email: null })).status).toBe(204)
    expect(decodeAuthFlow(site.jar.cookies.get('auth-flow')?.value)?.returnPath).toBe('/account#sign-in')
  })

  test('is refused to other sites, which could otherwise choose whose mailed link this browser accepts', async () => {
    const foreign = { host: 'site.test', origin: 'http://evil.example', 'content-type': 'text/plain' }
    expect(await errorOf(begin({ return_path: '/', email: 'mallory@example.com' }, foreign))).toMatchObject({
      code: 'forbidden',
    })
    expect(site.jar.cookies.size).toBe(0)
  })

  test('behind a proxy that rewrites Host names the cause, and works once the site’s URL is configured', async () => {
    const rewritten = { ...OWN_PAGE, host: 'app:3000' }
    expect(await errorOf(begin({ return_path: '/', email: null }, rewritten))).toEqual({
      code: 'forbidden',
      reason: 'host_rewritten',
    })
    site.siteUrl = 'http://site.test'
    expect((await begin({ return_path: '/', email: null }, rewritten)).status).toBe(204)
  })

  test.each([{}, { return_path: 5, email: null }, { return_path: '/', email: 'a'.repeat(300) }, [], null])(
    'is refused with the body %j',
    async body => {
      expect(await errorOf(begin(body))).toMatchObject({ code: 'invalid_request' })
    },
  )

  test('is not found if sign-in is not configured', async () => {
    site.settings = null
    expect(await errorOf(begin({ return_path: '/', email: null }))).toMatchObject({ code: 'not_found' })
  })
})
