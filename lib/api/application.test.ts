import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import { MOUNTED_SEGMENTS } from '@/lib/http/api-segments'
import { createDocumentCheck } from '@/test/support/documented'

jest.unstable_mockModule('@/lib/composition', () => ({ services: async () => ({}) }))
const { api, CONTRACTS, ROUTES } = await import('./application')
const { openApiDocument } = await import('./openapi')

const documented = openApiDocument(CONTRACTS, { appName: 'Test', site: 'https://site.test' })
const contracts = Object.values(CONTRACTS).flat()
const ask = (method: string, path: string) => api(new Request(`https://site.test${path}`, { method }))

describe('a request without a route', () => {
  test.each([
    '/keys/one/two',
    '/v1',
    '/v1/chat',
    '/chat/nothing',
    '/topup',
    '/topup/create',
    '/api/nothing',
    '/auth/elsewhere',
    '/queries',
    '/accounts/unknown',
    '/credits',
    '/keys//x',
  ])('to %s gets an error in JSON', async path => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
      const response = await ask(method, path)
      expect([response.status, (await response.json()).error.code]).toEqual([404, 'not_found'])
    }
  })

  test.each(['/v1/messages/batches', '/v1/responses/compact', '/v1/responses/input_tokens'])(
    'to %s, which other APIs have, is told that there is no such route',
    async path => {
      const response = await ask('POST', path)
      const { error } = await response.json()
      expect([response.status, error.code]).toEqual([404, 'not_found'])
      expect(error.message).toContain('does not exist')
    },
  )

  test.each(['/v1/messages/batches/some', '/messages/batches/some/results', '/api/v1/messages/a/b'])(
    'to %s gets the error in Anthropic’s form, as everything below /v1/messages',
    async path => {
      const response = await ask('GET', path)
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { type: 'error', error: { type: 'not_found_error', code: 'not_found' } },
      ])
    },
  )

  test.each(['/v1/v1/messages/a/b', '/v1/v1/v1/messages/a/b', '/api/v1/v1/messages/a/b'])(
    'to %s is one to the path that it has with one version',
    async path => {
      const { error } = await (await ask('GET', path)).json()
      expect(error.type).toBe('not_found_error')
      const allowed = await ask('OPTIONS', path.replace('/a/b', ''))
      expect([allowed.status, allowed.headers.get('allow')]).toEqual([204, 'POST'])
    },
  )

  test('with a wrong method is told the allowed ones', async () => {
    const response = await ask('PUT', '/keys/some')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PATCH, DELETE'])
    expect((await response.json()).error.code).toBe('method_not_allowed')
    expect((await ask('POST', '/queries/history')).headers.get('allow')).toBe('GET')
    const anthropic = await (await ask('GET', '/v1/messages')).json()
    expect(anthropic).toMatchObject({ type: 'error', error: { code: 'method_not_allowed' } })
    const options = await ask('OPTIONS', '/v1/chat/completions')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST'])
  })
})

describe('a page of another origin', () => {
  /** Decided here once more: a caller that is in neither list fails, as does a route that changes sides. */
  const OPEN = [
    'account',
    'credit_id',
    'optional',
    'payer',
    'published',
    'refill_link',
    'presented',
    'presented_credit_id',
  ]
  const CLOSED = ['agent', 'public', 'secret', 'session']
  const routed = Object.values(ROUTES).flat()
  const preflight = (path: string) =>
    api(
      new Request(`https://site.test${path.replace(/\{\+?\w+\}/g, 'some')}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.test', 'access-control-request-method': 'POST' },
      }),
    )

  test.each(routed.map(({ contract }) => [contract.method, contract.path, contract.caller] as const))(
    '%s %s is open to them, or closed, by who asks (%s)',
    async (method, path, caller) => {
      expect([...OPEN, ...CLOSED]).toContain(caller)
      const { status, headers } = await preflight(path)
      expect(status).toBe(204)
      const methods = headers.get('access-control-allow-methods')?.split(', ') ?? []
      expect(methods.includes(method)).toBe(OPEN.includes(caller))
      expect(headers.get('access-control-allow-origin')).toBe(methods.length > 0 ? '*' : null)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('cannot use routes for cookies, gateways and probes, nor create accounts', () => {
    const openPaths = routed
      .filter(({ contract }) => OPEN.includes(contract.caller))
      .map(({ contract }) => contract.path)
    expect(openPaths).toContain('/v1/chat/completions')
    expect(
      openPaths.filter(path => /^\/(auth|api\/(?!payments\/|v1\/))|webhook|sandbox|create$/.test(path)),
    ).toEqual([])
    for (const { contract } of [...ROUTES['Sign-in'], ...ROUTES.Deployment, ...ROUTES.Probes])
      expect([contract.path, CLOSED]).toEqual([contract.path, expect.arrayContaining([contract.caller])])
  })

  test('can send any header including credentials, and read errors', async () => {
    const { headers } = await preflight('/v1/chat/completions')
    expect(headers.get('access-control-allow-headers')).toBe('authorization, *')
    const refused = await ask('GET', '/v1/chat/completions/some')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
    expect(refused.headers.get('access-control-expose-headers')).toBe('*')
    for (const path of ['/nothing', '/auth/begin'])
      expect((await ask('POST', path)).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('reads that a route or a method does not exist, instead of a failed request', async () => {
    for (const path of ['/v1/nothing', '/api/v1/nothing', '/chat/nothing']) {
      const { status, headers } = await preflight(path)
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 204, '*'])
      expect(headers.get('access-control-allow-methods')).toContain('DELETE')
    }
    for (const [method, path] of [
      ['POST', '/v1/nothing'],
      ['POST', '/v1/messages/batches'],
      ['DELETE', '/v1/chat/completions'],
    ] as const)
      expect((await ask(method, path)).headers.get('access-control-allow-origin')).toBe('*')
    expect((await preflight('/auth/nothing')).status).toBe(404)
    expect((await ask('DELETE', '/auth/begin')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('every /v1 route also answers below OpenRouter’s base path', async () => {
  const paths = contracts.map(({ path }) => path).filter(path => path.startsWith('/v1/'))
  expect(paths.length).toBeGreaterThan(10)
  for (const path of new Set(paths)) {
    const filled = path.replace(/\{\+?\w+\}/g, 'x')
    const [usual, there] = [await ask('OPTIONS', filled), await ask('OPTIONS', `/api${filled}`)]
    expect([path, there.status, there.headers.get('allow')]).toEqual([path, 204, usual.headers.get('allow')])
    const servers = ['https://site.test', 'https://site.test/api'].map(url => ({ url }))
    for (const operation of Object.values(documented.paths[path.replace('{+', '{')] ?? {}))
      expect(operation).toMatchObject({ servers })
  }
  expect((await ask('GET', '/api/v1/nothing')).status).toBe(404)
  expect((await ask('GET', '/v1/key')).status).toBe(404)
})

test('the paid routes and the models also answer without /v1', async () => {
  const published = [...ROUTES['Paid calls'], ...ROUTES.Models].map(({ contract }) => contract.path)
  for (const path of new Set(published)) {
    const filled = path.replace(/\{\+?\w+\}/g, 'x')
    const [usual, bare] = [await ask('OPTIONS', filled), await ask('OPTIONS', filled.slice('/v1'.length))]
    expect([path, bare.status, bare.headers.get('allow')]).toEqual([path, 204, usual.headers.get('allow')])
  }
})

describe('the routes of the server', () => {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter(file => /(^|[\\/])route\.ts$/.test(file))
    .map(file => join('app', file))
    .filter(file => !file.startsWith(join('app', 'sandbox')))
  const mounts = files.filter(file => readFileSync(file, 'utf8').includes('api as GET'))

  test('are all in the OpenAPI document', () => {
    const described = contracts.map(({ method, path }) => [path.replace('{+', '{'), method.toLowerCase()])
    for (const [path = '', method = ''] of described)
      expect(documented.paths[path]?.[method]).toMatchObject({ summary: expect.any(String) })
    expect(new Set(described.map(String)).size).toBe(contracts.length)
  })

  test('are mounted below the reserved path segments', () => {
    expect(readdirSync(join('app', '(api)')).sort()).toEqual([...MOUNTED_SEGMENTS].sort())
  })

  test('are all mounted, and no route file lacks an operation in the document', () => {
    for (const { path } of contracts) {
      const own = join('app', path.replace('{credit_id}', '[creditId]'), 'route.ts')
      const [, segment = ''] = path.split('/')
      const mount = join('app', '(api)', segment, '[[...path]]', 'route.ts')
      expect([path, existsSync(own) || mounts.includes(mount)]).toEqual([path, true])
    }
    const others = files.filter(file => !mounts.includes(file))
    expect(others.sort()).toEqual([
      // The frame that draws diagrams, and its script.
      'app/diagram.html/route.ts',
      'app/diagram.js/route.ts',
      'app/llms.txt/route.ts',
      'app/openapi.json/route.ts',
      // No API: the text of a script.
      'app/sw.js/route.ts',
      // The frame that speaks to a person's own wallet, and its script.
      'app/wallet.html/route.ts',
      'app/wallet.js/route.ts',
    ])
  })
})

describe('the tests’ check of answers against the document', () => {
  const check = createDocumentCheck(documented)
  const answer = { method: 'GET', pathname: '/keys', status: 200, contentType: 'application/json' }
  const key = {
    id: 'k',
    label: '',
    hint: '',
    usage_limit_usd: null,
    usage_usd: 0,
    reset_period: 'none',
    routing: null,
    expire_at: null,
    created_at: 1,
    revoked_at: null,
  }
  const listed = (entry: object) => JSON.stringify({ data: [entry] })

  test('accepts a documented answer', () => {
    expect(check({ ...answer, text: listed(key) })).toBeNull()
  })

  test('accepts the general error shape for an unknown path', () => {
    const error = { message: 'No', type: 'invalid_request_error', code: 'invalid_request', param: null }
    const text = JSON.stringify({ error })
    expect(check({ ...answer, pathname: '/v1/messages/%ff', status: 400, text })).toBeNull()
    expect(check({ ...answer, pathname: '/v1/messages/ff', status: 400, text })).not.toBeNull()
  })

  test.each<[string, object]>([
    ['a field that is not described', { text: listed({ ...key, secret: 1 }) }],
    ['a field of another type', { text: listed({ ...key, usage_usd: '0' }) }],
    ['a missing field', { text: listed({ ...key, label: undefined }) }],
    ['another status', { status: 202, text: listed(key) }],
    ['another type of content', { contentType: 'text/html', text: '<p>' }],
    ['an error of another form', { status: 400, text: '{"error":"no"}' }],
    ['an unknown path', { pathname: '/keys/a/b/c', method: 'PUT', text: '{}' }],
    ['an error of another form on an unknown path', { pathname: '/nothing', status: 404, text: '{}' }],
  ])('reports %s', (_what, difference) => {
    expect(check({ ...answer, text: null, ...difference })).toMatch(/^(GET|PUT) \//)
  })
})
