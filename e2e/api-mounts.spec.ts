import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { APIRequestContext } from '@playwright/test'
import { type ApiRoute, fillPath, listApiRoutes } from '@/test/support/api-routes'
import { bareEnvironment } from '@/test/support/bare-environment'
import { freePort } from '@/test/support/free-port'
import { UPSTREAM_PORT } from '@/test/support/ports'
import { expect, test } from '@/test/support/test'

/** Framing and compression are the server's choice; counts and times differ in every response. */
const FRAMING =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|date|x-request-id)$/
/** Routes that Next answers on both servers. */
const NEXTS = /^\/(sandbox\/|openapi\.json|llms\.txt)/
/** What Next adds to the Vary header. */
const NEXT_VARY = /(rsc|next-[a-z-]+)(, )?/g
const NEW_EACH_TIME = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(sk|rf)-[\w-]+|"hint":"[\w-]+"|"\w+_at":\d+/g

let child: ChildProcess
let insideNext: string
const dataDirectory = mkdtempSync(join(tmpdir(), 'tuppence-mounts-'))

test.beforeAll(async () => {
  const port = await freePort()
  insideNext = `http://127.0.0.1:${port}`
  child = spawn('node', ['node_modules/next/dist/bin/next', 'start', '-p', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: bareEnvironment({
      PORT: String(port),
      DATA_DIR: dataDirectory,
      UPSTREAM_BASE_URL: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
      UPSTREAM_API_KEY: 'stand-in-key',
      SANDBOX: '1',
      LOG_LEVEL: 'warn',
    }),
  })
  await expect(async () => expect((await fetch(`${insideNext}/api/ready`)).status).toBe(200)).toPass()
})

test.afterAll(async () => {
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(dataDirectory, { recursive: true, force: true })
})

async function openAccount(request: APIRequestContext, origin: string): Promise<string> {
  const answer = await request.post(`${origin}/accounts/create`, { data: {} })
  return (await answer.json()).credit_id
}

async function ask(
  request: APIRequestContext,
  origin: string,
  { method, path }: ApiRoute,
  headers: Record<string, string>,
) {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const answer = await request.fetch(`${origin}${path}`, {
    method,
    headers,
    maxRedirects: 0,
    ...(hasBody && { data: {} }),
  })
  const shownHeaders = Object.entries(answer.headers()).filter(([name]) => !FRAMING.test(name))
  return {
    status: answer.status(),
    headers: Object.fromEntries(
      shownHeaders.flatMap(([name, value]) => {
        const stripped = name === 'vary' ? value.toLowerCase().replaceAll(NEXT_VARY, '') : value
        return stripped === '' ? [] : [[name, stripped]]
      }),
    ),
    body: (await answer.text()).replaceAll(NEW_EACH_TIME, 'new'),
  }
}

/** The two servers sign receipts with different keys. */
const OWN_KEYS = '/.well-known/jwks.json'

test('every API route gives the same response on our own server and inside Next', async ({ request }) => {
  test.slow()
  const documented = (await listApiRoutes(request)).filter(
    ({ path }) => !NEXTS.test(path) && path !== OWN_KEYS,
  )
  const routes = [
    ...documented.map(({ method, path }) => ({ method, path: fillPath(path.replace('{+', '{'), () => 'x') })),
    { method: 'HEAD', path: '/v1/models' },
    { method: 'OPTIONS', path: '/v1/chat/completions' },
    { method: 'PUT', path: '/keys' },
    { method: 'GET', path: '/v1/nothing' },
    { method: 'GET', path: '/v1/%2e%2e/v1/models' },
    { method: 'GET', path: '/models?a=b' },
  ]
  const credits = await Promise.all(['', insideNext].map(origin => openAccount(request, origin)))
  for (const route of routes) {
    for (const isKnown of [false, true]) {
      const [ours, nexts] = await Promise.all(
        ['', insideNext].map((origin, index) =>
          ask(request, origin, route, {
            'content-type': 'application/json',
            ...(isKnown && { authorization: `Bearer ${credits[index]}` }),
          }),
        ),
      )
      expect(ours, `${route.method} ${route.path}`).toEqual(nexts)
    }
  }
})

test('a streamed answer is the same on our own server and inside Next', async ({ request }) => {
  const [ours, nexts] = await Promise.all(
    ['', insideNext].map(async origin => {
      const creditId = await openAccount(request, origin)
      const authorization = { authorization: `Bearer ${creditId}` }
      const invoice = await request.post(`${origin}/topup/create/btc-lightning`, {
        headers: authorization,
        data: { amount: 1, currency: 'USD' },
      })
      const { invoice_id: invoiceId } = await invoice.json()
      const paid = await request.post(`${origin}/topup/sandbox/${invoiceId}/pay`, {
        headers: authorization,
        data: { fraction: 1 },
      })
      expect(paid.status()).toBe(200)
      const answer = await request.post(`${origin}/v1/chat/completions`, {
        headers: authorization,
        data: { model: 'standin/small', messages: [{ role: 'user', content: 'Hello' }], stream: true },
      })
      const headers = Object.keys(answer.headers()).filter(name => !FRAMING.test(name) && name !== 'vary')
      return {
        status: answer.status(),
        headers: headers.sort(),
        body: (await answer.text()).replaceAll(/"(id|created)":[^,]+/g, ''),
      }
    }),
  )
  expect(ours?.body).toContain('balance_usd')
  expect(ours).toEqual(nexts)
})

test('Vercel functions contain only build output and node_modules, not our package.json', () => {
  // With our package.json in the function, Node would load Next's scripts as ES modules.
  const lists = globSync('.next/server/**/*.nft.json')
  const packed = lists.flatMap(list =>
    JSON.parse(readFileSync(list, 'utf8')).files.map((file: string) => join(dirname(list), file)),
  )
  expect(packed.length).toBeGreaterThan(lists.length)
  expect(packed.filter(file => !/^(\.next|node_modules)\//.test(file))).toEqual([])
})
