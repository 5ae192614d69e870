import { describe, expect, test } from '@jest/globals'
import { NextRequest } from 'next/server'
import { API_SEGMENTS } from '@/lib/http/api-segments'
import middleware, { config } from './middleware'

const matcher = new RegExp(`^${config.matcher[0]}$`)

describe('the middleware', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('draws no page for %s', async method => {
    const response = await middleware(new NextRequest('https://site.test/pricing', { method }))
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
  })

  // As a route's parameter Next decodes it again.
  test.each(['/c/%25', '/c/%25E0', '/de/c/%25'])('answers %s, which no page can be asked by', async path => {
    const response = await middleware(new NextRequest(`https://site.test${path}`))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } })
  })

  test.each([
    ['/c/%25', '/en/-'],
    ['/c/%E0%A4%A', '/en/-'],
    ['/de/c/%25E0', '/de/-'],
  ])('tells a person who asks for %s that there is no such page', async (path, missing) => {
    const headers = { accept: 'text/html,*/*;q=0.8' }
    const response = await middleware(new NextRequest(`https://site.test${path}`, { headers }))
    expect(response.headers.get('x-middleware-rewrite')).toBe(`https://site.test${missing}`)
    expect(response.headers.get('x-middleware-next')).toBeNull()
    expect(response.headers.get('content-security-policy')).toContain("'nonce-")
  })

  test('draws one for a person who comes with a form', async () => {
    const headers = { 'sec-fetch-mode': 'navigate' }
    const request = new NextRequest('https://site.test/share', { method: 'POST', headers })
    expect((await middleware(request)).headers.get('x-middleware-rewrite')).toContain('/en/share')
  })

  const german = { 'accept-language': 'de', cookie: 'other=1' }
  test.each([
    ['arrives at it', { 'sec-fetch-site': 'none' }, '/pricing', '/de/pricing'],
    ['comes from another site', { 'sec-fetch-site': 'cross-site' }, '/pricing', '/de/pricing'],
    ['follows a link of ours', { 'sec-fetch-site': 'same-origin' }, '/pricing', null],
    [
      'prefers another language by a cookie',
      { 'sec-fetch-site': 'same-origin', cookie: 'NEXT_LOCALE=fr' },
      '/pricing',
      '/fr/pricing',
    ],
    ['chooses English', { 'sec-fetch-site': 'same-origin' }, '/en/pricing', '/pricing'],
  ])('sends a German browser that %s to the right language', async (_, headers, path, to) => {
    const request = new NextRequest(`https://site.test${path}`, { headers: { ...german, ...headers } })
    const location = (await middleware(request)).headers.get('location')
    expect(location && new URL(location).pathname).toBe(to)
  })

  test.each([...API_SEGMENTS, 'sandbox/upstream'])('leaves /%s to its handlers', segment => {
    expect(matcher.test(`/${segment}`)).toBe(false)
    expect(matcher.test(`/${segment}/anything/below`)).toBe(false)
  })

  test.each([
    '/_next/static/chunk.js',
    '/.well-known/jwks.json',
    '/robots.txt',
    '/sitemap.xml',
    '/icon.svg',
    '/icon-512.png',
    '/apple-icon.png',
    '/sw.js',
    '/wallet.html',
    '/wallet.js',
    '/manifest.webmanifest',
    '/openapi.json',
    '/llms.txt',
  ])('leaves %s alone', path => {
    expect(matcher.test(path)).toBe(false)
  })

  test.each([
    '/',
    '/pricing',
    '/account',
    '/top-up',
    '/de',
    '/de/top-up',
    '/nothing.html',
    '/share',
    '/sandbox',
    '/sandbox/nothing',
    '/icon-1.png',
    '/accounting',
    '/v10',
    '/.well-known/nothing',
    '/_next',
    '/_next/unknown',
    '/_next/staticfiles',
  ])('guards the page %s', path => {
    expect(matcher.test(path)).toBe(true)
  })
})
