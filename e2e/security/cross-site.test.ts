import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { answerApi } from '@/test/support/answer-api'
import { type ApiRoute, apiRoutesOf, fillPath } from '@/test/support/api-routes'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'

/** The services always fail, so a request that is not refused at the edge gets an internal error. */
jest.unstable_mockModule('@/lib/composition', () => ({
  services: async () => {
    throw new Error('The services were asked.')
  },
}))

type Headers = Record<string, string>

const { CONTRACTS } = await import('@/lib/api/application')
const { openApiDocument } = await import('@/lib/api/openapi')
const DOCUMENT = openApiDocument(CONTRACTS, { appName: 'Test', site: 'https://site.test' })
const WRITING_ROUTES = apiRoutesOf(DOCUMENT).filter(({ method }) => method !== 'GET')
const REFUSAL =
  'This request came from a page of another site, without a credential. Send a credential in a header.'
const OTHER = 'https://other.test'
const OWN = 'https://site.test'
const TEXT = 'text/plain;charset=UTF-8'

/** The headers of cross-site requests that a browser sends without a preflight. */
const FROM_ANOTHER_SITE: [string, Headers][] = [
  [
    'a form',
    { 'sec-fetch-site': 'cross-site', origin: OTHER, 'content-type': 'multipart/form-data; boundary=b' },
  ],
  ['a script, as text', { 'sec-fetch-site': 'cross-site', origin: OTHER, 'content-type': TEXT }],
  ['a script, as nothing in particular', { 'sec-fetch-site': 'cross-site', origin: OTHER }],
  ['a sibling of the site', { 'sec-fetch-site': 'same-site', origin: OTHER, 'content-type': TEXT }],
  ['a page that hides itself', { 'sec-fetch-site': 'cross-site', origin: 'null', 'content-type': TEXT }],
  ['a page in a sandbox', { origin: 'null' }],
  ['such a page, as JSON', { origin: 'null', 'content-type': 'application/json' }],
  ['a page of the site that is shown in one', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['an older browser, a form', { origin: OTHER, 'content-type': 'application/x-www-form-urlencoded' }],
  ['an older browser, a script', { origin: OTHER, 'content-type': TEXT }],
  ['an older browser, no type', { origin: OTHER }],
  [
    'a browser that sent a preflight',
    { 'sec-fetch-site': 'cross-site', origin: OTHER, 'content-type': 'application/json' },
  ],
  [
    'a browser that knows a password of the proxy',
    { 'sec-fetch-site': 'cross-site', origin: OTHER, authorization: 'Basic YTpi', 'content-type': TEXT },
  ],
]

/** As bytes, since for text the client would add a content type. */
const BODY = Buffer.from('{}')

let server: ServedHandler

beforeAll(async () => {
  // Silences errors that only this test provokes.
  jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  server = await serveHandler(request => {
    const { pathname } = new URL(request.url)
    return pathname.startsWith('/sandbox/') ? answerSandbox(pathname, request) : answerApi(request)
  })
})
afterAll(() => server.close())

const keyOf = (method: string, path: string) => `${method} ${path}`
async function answerSandbox(pathname: string, request: Request): Promise<Response> {
  const { POST } = await import(join(process.cwd(), 'app', pathname, 'route.ts'))
  return POST(request)
}
const filled = ({ path }: ApiRoute) => fillPath(path, () => 'x')

async function send(route: ApiRoute, headers: Headers): Promise<{ status: number; body: string }> {
  const response = await fetch(server.url + filled(route), { method: route.method, headers, body: BODY })
  return { status: response.status, body: await response.text() }
}

test('at least 30 routes write, and each of them is served', async () => {
  expect(WRITING_ROUTES.length).toBeGreaterThanOrEqual(30)
  for (const route of WRITING_ROUTES) expect((await send(route, {})).body).toContain('"error"')
})

test.each(FROM_ANOTHER_SITE)('every route that writes refuses requests from %s', async (_who, headers) => {
  const refusal = { error: { message: REFUSAL, type: 'permission_error', code: 'forbidden', param: null } }
  for (const route of WRITING_ROUTES) {
    const { status, body } = await send(route, headers)
    // Some dialects add fields.
    expect([keyOf(route.method, route.path), status, JSON.parse(body)]).toEqual([
      keyOf(route.method, route.path),
      403,
      expect.objectContaining(refusal),
    ])
  }
})

test.each<[string, Headers]>([
  ['a program', { 'content-type': 'application/json' }],
  ['a program that names no type', {}],
  ['a program that sends an Origin with its JSON', { origin: OTHER, 'content-type': 'application/json' }],
  ['a page of the site', { 'sec-fetch-site': 'same-origin', origin: OWN }],
  ['a page of the site in an older browser', { 'x-forwarded-host': 'site.test', origin: OWN }],
  ['such a page behind two proxies', { 'x-forwarded-host': 'site.test, inner.test', origin: OWN }],
  ['somebody who typed it', { 'sec-fetch-site': 'none' }],
  [
    'a page of another site that shows a credential',
    { 'sec-fetch-site': 'cross-site', origin: OTHER, authorization: 'Bearer x' },
  ],
  ['one that shows a key', { 'sec-fetch-site': 'cross-site', origin: 'null', 'x-api-key': 'x' }],
])('no route that writes refuses requests from %s as cross-site', async (_who, headers) => {
  for (const route of WRITING_ROUTES) {
    const { body } = await send(route, headers)
    expect(`${keyOf(route.method, route.path)} ${body}`).not.toContain(REFUSAL)
  }
})
