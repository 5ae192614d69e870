import { randomUUID } from 'node:crypto'
import type { APIRequestContext, APIResponse } from '@playwright/test'
import { createAccount } from '../support/account'
import { type ApiRoute, fillPath, listApiRoutes } from '../support/api-routes'
import { expect, test } from '../support/test'

const WRITING_ROUTES = listApiRoutes().filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))

const JSON_TYPE = 'application/json'
/** Deeper than any stack that a careless recursion would use. */
const NESTING_DEPTH = 100_000
const deep = '['.repeat(NESTING_DEPTH) + ']'.repeat(NESTING_DEPTH)

interface Body {
  name: string
  text: string | Buffer
  type?: string
}

/** No route that reads a body accepts one of these. */
const WRONG_BODIES: Body[] = [
  { name: 'null', text: 'null' },
  { name: 'a number', text: '12' },
  { name: 'a huge number', text: '1e999' },
  { name: 'a string', text: '"text"' },
  { name: 'true', text: 'true' },
  { name: 'an array', text: '[]' },
  { name: 'an array of objects', text: '[{"model":"standin/small"}]' },
  { name: 'broken JSON', text: '{"amount": 1' },
  { name: 'two values', text: '{} {}' },
  { name: 'a NUL byte', text: '\0' },
  { name: 'not UTF-8', text: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: 'deep nesting', text: deep },
  { name: 'deep nesting, unclosed', text: '['.repeat(NESTING_DEPTH) },
  { name: 'a form', text: 'amount=1&currency=USD', type: 'application/x-www-form-urlencoded' },
  { name: 'a multipart form', text: '--x\r\n\r\nvalue\r\n--x--', type: 'multipart/form-data; boundary=x' },
]

/** As good as an empty object, which some routes take; nothing in them may have an effect of its own. */
const EMPTY_BODIES: Body[] = [
  { name: 'nothing', text: '' },
  { name: 'an empty object', text: '{}' },
  { name: 'an empty object as text', text: '{}', type: 'text/plain' },
  { name: 'unknown fields', text: '{"unknown":1,"":2}' },
  {
    name: 'a prototype',
    text: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  },
]

/** Handlers that take nothing from their body, so that no body is wrong. */
const READS_NO_BODY = ['/topup/refill/link']

/** A body that each route accepts; every field of it is then replaced by every hostile value. */
const VALID_BODIES: Record<string, Record<string, unknown>> = {
  '/accounts/create': { attribution: { utm_source: 'letter' } },
  '/accounts/merge': { from_credit_id: randomUUID() },
  '/credits/balance': { credit_id: randomUUID() },
  '/topup/create/[method]': { amount: 1, currency: 'USD' },
  '/topup/refill/create/[method]': { amount: 1, currency: 'USD' },
  '/topup/sandbox/[invoiceId]/pay': { fraction: 0.1 },
  '/keys': { label: 'Key', usage_limit_usd: 1, reset_period: 'daily', expire_at: 4_000_000_000 },
  '/keys/[id]': { label: 'Key', usage_limit_usd: 1, reset_period: 'daily', expire_at: 4_000_000_000 },
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
}

const HOSTILE_VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '1e-320',
  '9007199254740993',
  '18446744073709551616',
  '""',
  '"text"',
  '"1e309"',
  '"-0"',
  '"nul \\u0000 inside"',
  '"half a pair \\ud800"',
  JSON.stringify('long '.repeat(1_000)),
  '[]',
  '[null]',
  '[[[]]]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"utm_source":"nul \\u0000 inside"}',
  '{"utm_source":"half a pair \\ud800"}',
  '[{"role":"user","content":null}]',
  '[{"role":"user","content":{"type":"text"}}]',
  '[{"role":"user","content":[{"type":"image_url","image_url":null}]}]',
  '[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]',
  '[{"role":"user","content":"nul \\u0000 inside"}]',
  `[{"role":"user","content":${deep}}]`,
]

/** Somebody's own objects, so that what is refused is the body and not the caller. */
async function prepare(request: APIRequestContext) {
  const { creditId } = await createAccount(request, 5)
  const headers = { authorization: `Bearer ${creditId}` }
  const key = await (await request.post('/keys', { headers })).json()
  const data = { amount: 1 }
  const invoice = await (await request.post('/topup/create/btc-lightning', { headers, data })).json()
  const { token } = await (await request.post('/topup/refill/link', { headers })).json()
  const values: Record<string, string> = {
    id: key.id,
    invoiceId: invoice.invoice_id,
    method: 'btc-lightning',
    gateway: 'stripe',
  }
  return async ({ method, path }: ApiRoute, body: Body) => {
    const refill = path.startsWith('/topup/refill/') && path !== '/topup/refill/link'
    return request.fetch(
      fillPath(path, name => values[name] ?? 'unknown'),
      {
        method,
        headers: {
          authorization: refill ? `Bearer ${token}` : `Bearer ${creditId}`,
          'content-type': body.type ?? JSON_TYPE,
        },
        data: Buffer.from(body.text),
      },
    )
  }
}

/** What is wrong with an answer; null when nothing is. */
async function faultOf(response: APIResponse): Promise<string | null> {
  const status = response.status()
  if (status >= 500) return `${status} ${await response.text()}`
  if (status < 400) return null
  const { error } = await response.json().catch(() => ({ error: null }))
  const shaped =
    typeof error?.message === 'string' &&
    typeof error.type === 'string' &&
    typeof error.code === 'string' &&
    (error.param === null || typeof error.param === 'string')
  return shaped ? null : `${status} without an error object`
}

test('every route refuses a body that is no object, and the process lives', async ({ request }) => {
  const send = await prepare(request)
  const faults: string[] = []
  for (const route of WRITING_ROUTES) {
    for (const body of [...WRONG_BODIES, ...EMPTY_BODIES]) {
      const response = await send(route, body)
      const fault = await faultOf(response)
      const accepted =
        response.ok() && WRONG_BODIES.includes(body) && !READS_NO_BODY.includes(route.path)
          ? 'accepted'
          : null
      if (fault ?? accepted) faults.push(`${route.method} ${route.path}, ${body.name}: ${fault ?? accepted}`)
    }
  }
  expect(faults).toEqual([])
  expect(WRITING_ROUTES.length).toBeGreaterThanOrEqual(12)
  expect((await request.get('/v1/models')).status()).toBe(200)
})

test('no value of any field, however odd, is an error of ours', async ({ request }) => {
  test.setTimeout(90_000)
  const send = await prepare(request)
  const faults: string[] = []
  for (const route of WRITING_ROUTES) {
    const valid = Object.entries(VALID_BODIES[route.path] ?? {})
    for (const [field] of valid) {
      for (const hostile of HOSTILE_VALUES) {
        const members = valid.map(
          ([name, value]) => `"${name}":${name === field ? hostile : JSON.stringify(value)}`,
        )
        const fault = await faultOf(await send(route, { name: field, text: `{${members.join(',')}}` }))
        if (fault) faults.push(`${route.method} ${route.path}, ${field} = ${hostile.slice(0, 60)}: ${fault}`)
      }
    }
  }
  expect(faults).toEqual([])
  expect((await request.get('/v1/models')).status()).toBe(200)
})

test('no query and no id in a path, however odd, is an error of ours', async ({ request }) => {
  const { creditId } = await createAccount(request, 0)
  const odd = [
    '',
    '%00',
    '%ff',
    '..%2f..',
    '-1',
    '1e309',
    '%F0%9F%92%B8',
    "'%20or%201=1--",
    'x'.repeat(4_000),
  ]
  const parameters = ['limit', 'cursor', 'from', 'to', 'model', 'api_key_id', 'format', 'type']
  const paths = listApiRoutes()
    .filter(({ method, path }) => method === 'GET' && !path.startsWith('/auth/'))
    .flatMap(({ path }) => {
      if (!path.includes('[')) return parameters.flatMap(name => odd.map(value => `${path}?${name}=${value}`))
      return odd.filter(value => value !== '').map(value => path.replace(/\[[^\]]+\]/g, value))
    })
  const faults: string[] = []
  for (const path of paths) {
    const response = await request.get(path, { headers: { authorization: `Bearer ${creditId}` } })
    if (response.status() >= 500) faults.push(`${response.status()} ${path.slice(0, 120)}`)
  }
  expect(faults).toEqual([])
})
