import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { listen } from '@/test/support/listen'

jest.unstable_mockModule('@/lib/composition', () => ({ services: async () => ({}) }))
const { listenAsApi } = await import('./api-server')

const server = createServer((message, response) => {
  if (!listenAsApi(message, response)) response.writeHead(418).end('for Next')
})

let listening: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  listening = await listen(server)
})

afterAll(() => listening.stop())

/** With the path as it is; `fetch` would normalise it. */
async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = { origin: 'https://app.test' },
): Promise<{ status?: number; headers: IncomingHttpHeaders; body: string }> {
  const asked = request({ port: listening.port, method, path, headers }).end()
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

test.each([
  '/v1/chat/completions/',
  '//v1/chat/completions',
  '/v1//chat/completions',
  '//v1/chat//completions//',
  '/v1/chat/completions/?a=//b/',
  '/chat/completions/',
])('a preflight to %s is answered, as no browser follows a redirect of one', async path => {
  const { status, headers } = await ask('OPTIONS', path)
  expect([status, headers['access-control-allow-origin'], headers.allow]).toEqual([204, '*', 'POST'])
})

test.each(['/v1/nothing/', '//v1/nothing'])('%s, which does not exist, says so in JSON', async path => {
  const { status, headers, body } = await ask('GET', path)
  expect([status, headers['access-control-allow-origin']]).toEqual([404, '*'])
  expect(JSON.parse(body).error.code).toBe('not_found')
})

test.each(['/v1', '/v1/', '/api/v1'])('%s, a base URL alone, may be read by any page', async path => {
  const { status, headers } = await ask('GET', path)
  expect([status, headers['access-control-allow-origin']]).toEqual([404, '*'])
})

test.each(['PROPFIND', 'LINK', 'PURGE'])(
  '%s, which no route has, says which methods there are',
  async method => {
    const { status, headers, body } = await ask(method, '/v1/models', {})
    expect([status, headers.allow]).toEqual([405, 'GET'])
    expect(JSON.parse(body).error.code).toBe('method_not_allowed')
  },
)

test.each(['/', '//', '/pricing/', '//evil.test/v1', '/v1/../pricing', '//v1/%2e%2e/x', '/v1/\\x', '/v1x/'])(
  '%s is left to Next',
  async path => {
    expect(await ask('GET', path)).toMatchObject({ status: 418 })
  },
)
