import { randomUUID } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'
import { createAccount } from '@/test/support/account'
import { type ApiRoute, fillPath, listApiRoutes } from '@/test/support/api-routes'
import { expect, type Send, test } from '@/test/support/test'
import { type Body, EMPTY_BODIES, faultOf, hostileVariants, JSON_TYPE, WRONG_BODIES } from './hostile-bodies'

async function writingRoutes(request: APIRequestContext): Promise<ApiRoute[]> {
  const routes = await listApiRoutes(request)
  return routes.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))
}

/** Routes that take a form, which a test below fuzzes. */
const READS_A_FORM = ['/v1/audio/transcriptions', '/v1/images/edits']
/** Reads JSON-RPC with the protocol's own library, and returns that library's errors. */
const READS_A_PROTOCOL = ['/mcp']

/** Routes that are off here, and fuzzed where they are on: fuzz-configured.spec.ts, telemetry/page-views.spec.ts. */
const SWITCHED_OFF = [
  '/topup/webhooks/{gateway}',
  '/api/cron/reconcile',
  '/auth/begin',
  '/auth/complete',
  '/auth/sign-out',
  '/api/account/credit',
  '/api/ledger/{verb}',
  '/api/payments-host/{verb}',
  '/api/telemetry',
]
/** Only the server itself calls these routes, with a token that nobody else knows. */
const SANDBOX = '/sandbox/upstream/'

/** A body that each route accepts. The test replaces each of its fields by every hostile value. */
const VALID_BODIES: Record<string, Record<string, unknown>> = {
  '/accounts/create': { attribution: { utm_source: 'letter' } },
  '/accounts/merge': { from_credit_id: randomUUID() },
  '/credits/balance': { credit_id: randomUUID() },
  '/topup/create/{method}': { amount: 1, currency: 'USD' },
  '/topup/refill/create/{method}': { amount: 1, currency: 'USD' },
  '/topup/refill/link': { name: 'Anna' },
  '/topup/sandbox/{invoice_id}/pay': { fraction: 0.1 },
  '/keys': { label: 'Key', usage_limit_usd: 1, reset_period: 'daily', expire_at: 4_000_000_000 },
  '/keys/{id}': { label: 'Key', usage_limit_usd: 1, reset_period: 'daily', expire_at: 4_000_000_000 },
  '/v1/audio/speech': {
    model: 'standin/reader',
    input: 'Hello',
    voice: 'alloy',
    response_format: 'mp3',
    speed: 1,
    instructions: 'Softly.',
    stream_format: 'audio',
  },
  '/v1/chat/completions': {
    model: 'standin/small',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    stream: false,
    stream_options: { include_usage: true },
    max_tokens: 5,
    max_completion_tokens: 5,
    n: 1,
    temperature: 1,
    tools: [{ type: 'function', function: { name: 'look', parameters: {} } }],
    stop: ['end'],
    user: 'somebody',
  },
  '/v1/completions': {
    model: 'standin/small',
    prompt: 'Hello',
    stream: false,
    max_tokens: 5,
    n: 1,
    best_of: 1,
    echo: false,
    suffix: '',
    stop: ['end'],
    temperature: 1,
  },
  '/v1/embeddings': {
    model: 'standin/embedder',
    input: ['Hello', 'Good-bye'],
    encoding_format: 'float',
    dimensions: 8,
    user: 'somebody',
  },
  '/v1/messages': {
    model: 'standin/small',
    max_tokens: 5,
    stream: false,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 5 },
    output_config: { effort: 'low' },
    stop_sequences: ['end'],
    metadata: { user_id: 'somebody' },
    temperature: 1,
  },
  '/v1/messages/count_tokens': {
    model: 'standin/small',
    messages: [{ role: 'user', content: 'Hello' }],
    system: 'Be brief.',
  },
  '/v1/responses': {
    model: 'standin/small',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
    instructions: 'Be brief.',
    max_output_tokens: 5,
    stream: false,
    store: false,
    tools: [{ type: 'function', name: 'look', parameters: {} }],
    tool_choice: 'auto',
    reasoning: { effort: 'low', summary: 'auto' },
    text: { format: { type: 'text' }, verbosity: 'low' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'key',
  },
  '/v1/images/generations': {
    model: 'standin/painter',
    prompt: 'A copper coin',
    n: 1,
    size: '1024x1024',
    quality: 'high',
    response_format: 'b64_json',
    stream: false,
    style: 'vivid',
    input_references: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
  },
}

/** Creates an account with objects of its own, so that a refusal concerns the body and not the caller. */
async function prepare(request: APIRequestContext, send: Send) {
  const { creditId } = await createAccount(request, 5)
  const headers = { authorization: `Bearer ${creditId}` }
  const key = await (await request.post('/keys', { headers })).json()
  const data = { amount: 1 }
  const invoice = await (await request.post('/topup/create/btc-lightning', { headers, data })).json()
  const { token } = await (await request.post('/topup/refill/link', { headers })).json()
  const values: Record<string, string> = {
    id: key.id,
    invoice_id: invoice.invoice_id,
    method: 'btc-lightning',
    gateway: 'stripe',
  }
  return ({ method, path }: ApiRoute, body: Body) => {
    const refill = path.startsWith('/topup/refill/') && path !== '/topup/refill/link'
    return send(
      fillPath(path, name => values[name] ?? 'unknown'),
      {
        method,
        headers: {
          authorization: refill ? `Bearer ${token}` : `Bearer ${creditId}`,
          'content-type': body.type ?? JSON_TYPE,
        },
        body: Buffer.from(body.text),
      },
    )
  }
}

test('every route refuses a body that is not a JSON object, and the server keeps running', async ({
  request,
  send,
}) => {
  const sendTo = await prepare(request, send)
  const faults: string[] = []
  const routes = await writingRoutes(request)
  for (const route of routes) {
    for (const body of [...WRONG_BODIES, ...EMPTY_BODIES]) {
      const response = await sendTo(route, body)
      const fault = faultOf(response)
      const accepted = response.status < 400 && WRONG_BODIES.includes(body) ? 'accepted' : null
      if (fault ?? accepted) faults.push(`${route.method} ${route.path}, ${body.name}: ${fault ?? accepted}`)
    }
  }
  expect(faults).toEqual([])
  expect(routes.length).toBeGreaterThanOrEqual(12)
  expect((await request.get('/v1/models')).status()).toBe(200)
})

test('every route that reads a body is fuzzed here or listed as fuzzed elsewhere', async ({ request }) => {
  const covered = [...Object.keys(VALID_BODIES), ...READS_A_FORM, ...READS_A_PROTOCOL, ...SWITCHED_OFF]
  const routes = await writingRoutes(request)
  const paths = routes.map(({ path }) => path).filter(path => !path.startsWith(SANDBOX))
  // The same handler at a second path.
  const missing = paths.filter(path => !covered.includes(path) && !covered.includes(`/v1${path}`))
  expect(missing).toEqual([])
})

test('no hostile value in any field of a JSON body causes an internal error', async ({ request, send }) => {
  const sendTo = await prepare(request, send)
  const faults: string[] = []
  for (const route of await writingRoutes(request)) {
    for (const body of hostileVariants(VALID_BODIES[route.path] ?? {})) {
      const fault = faultOf(await sendTo(route, body))
      if (fault) faults.push(`${route.method} ${route.path}, ${body.name}: ${fault}`)
    }
  }
  expect(faults).toEqual([])
  expect((await request.get('/v1/models')).status()).toBe(200)
})

test('no malformed form causes an internal error', async ({ request, send }) => {
  const { creditId } = await createAccount(request, 1)
  const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`
  const field = (name: string, content: string) =>
    part(`content-disposition: form-data; name="${name}"`, content)
  const file = part('content-disposition: form-data; name="file"; filename="../../a.mp3"\r\ncontent-type: x')
  const model = field('model', 'standin/whisper')
  const odd = [
    '',
    '--b--\r\n',
    '--b\r\n',
    model,
    `${model}${file}`,
    `${model}${field('file', '')}`,
    `${file}--b--\r\n`,
    `${model}${model}${file}${file}--b--\r\n`,
    `${field('model', 'nul \0 inside')}${file}--b--\r\n`,
    `${field('model', 'standin/small')}${file}--b--\r\n`,
    `${field('__proto__', '1')}${field('constructor', '1')}${model}${file}`,
    ...['language', 'prompt', 'response_format', 'temperature', 'stream'].map(
      name => `${field(name, '\r\n--c\ud83d')}${model}${file}`,
    ),
    `${part('content-disposition: form-data; name="file"; filename="a\\"\r\nx: y"')}${model}`,
    `${part(`x: ${'y'.repeat(10_000)}`)}${model}`,
    field('tag', 'x').repeat(5_000),
  ]
  const types = ['multipart/form-data; boundary=b', 'multipart/form-data', 'multipart/form-data; boundary=']
  const faults: string[] = []
  for (const [index, text] of odd.flatMap(form => [form, `${form}--b--\r\n`]).entries()) {
    for (const type of types) {
      for (const path of READS_A_FORM) {
        const headers = { authorization: `Bearer ${creditId}`, 'content-type': type }
        const fault = faultOf(await send(path, { method: 'POST', headers, body: Buffer.from(text) }))
        if (fault) faults.push(`form ${index} as ${type} to ${path}: ${fault}`)
      }
    }
  }
  expect(faults).toEqual([])
  expect((await request.get('/v1/models')).status()).toBe(200)
})

test('no hostile query parameter or id in a path causes an internal error', async ({ request, send }) => {
  const { creditId } = await createAccount(request, 0)
  const odd = [
    '',
    '%00',
    '%ff',
    '%25',
    '..%2f..',
    '-1',
    '1e309',
    '%F0%9F%92%B8',
    "'%20or%201=1--",
    'x'.repeat(4_000),
  ]
  const parameters = ['limit', 'cursor', 'from', 'to', 'model', 'api_key_id', 'format', 'type', 'id']
  const paths = (await listApiRoutes(request))
    .filter(({ method, path }) => method === 'GET' && !path.startsWith('/auth/'))
    .concat({ method: 'GET', path: '/c/{conversation}' })
    .flatMap(({ path }) => {
      if (!path.includes('{')) return parameters.flatMap(name => odd.map(value => `${path}?${name}=${value}`))
      return odd.filter(value => value !== '').map(value => path.replace(/\{\w+\}/g, value))
    })
  const faults: string[] = []
  for (const path of paths) {
    const { status } = await send(path, { headers: { authorization: `Bearer ${creditId}` } })
    if (status >= 500) faults.push(`${status} ${path.slice(0, 120)}`)
  }
  expect(faults).toEqual([])
})
