import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { log } from '@/lib/observability/log'
import { listenToLog } from '@/test/support/log-lines'
import { ApiError } from './api-error'
import { handleApi } from './handle-api'
import { nameRoute } from './observe-request'

process.env.LOG_LEVEL = 'debug'
const CREDIT_ID = '3f0f9c1e-2b7a-4c58-9a43-1f2e5d6c7b8a'
const SECRETS = {
  key: 'sk-tup-Zm9vYmFyYmF6cXV4',
  creditId: CREDIT_ID,
  mail: 'someone@people.example',
  word: 'a question that only its writer knows',
  cookie: 'sb-auth-token=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  wallet: `nostr+walletconnect://${'a'.repeat(64)}?relay=wss%3A%2F%2Fr.example&secret=${'b'.repeat(64)}`,
}

let written: ReturnType<typeof listenToLog>
beforeEach(() => {
  written = listenToLog()
})
afterEach(() => written.stop())

const request = (headers: Record<string, string> = {}, path = '/keys/mine') =>
  new Request(`https://site.test${path}`, { method: 'POST', body: SECRETS.word, headers })
const answerOf = (text: string) =>
  handleApi(async () => {
    nameRoute('/keys/{id}')
    return new Response(text)
  })

test('a request logs one line with its route, status and size', async () => {
  const response = await answerOf('twelve bytes')(request())
  expect(written.lines()).toEqual([])
  await response.text()
  expect(written.lines()).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      message: 'request',
      method: 'POST',
      route: '/keys/{id}',
      status: 200,
      durationMs: expect.any(Number),
      bytes: 12,
      requestId: response.headers.get('x-request-id'),
    },
  ])
})

test('the log lines contain nothing that was sent, wherever it was sent and however it failed', async () => {
  const headers = {
    authorization: `Bearer ${SECRETS.key}`,
    'x-credit-id': SECRETS.creditId,
    'x-request-id': SECRETS.creditId,
    'idempotency-key': SECRETS.word,
    cookie: SECRETS.cookie,
    'user-agent': SECRETS.mail,
    'x-forwarded-for': '203.0.113.77',
  }
  const path = `/api/payments/account/${CREDIT_ID}/credit?key=${SECRETS.key}&mail=${SECRETS.mail}`
  const failures = [
    ...Object.values(SECRETS).map(secret => new Error(`failed at "token": "${secret}"`)),
    new Error(`query failed: Bearer ${SECRETS.key} ${SECRETS.mail}`, { cause: SECRETS.word }),
    new ApiError('invalid_request', SECRETS.word, { details: { sent: SECRETS.key } }),
  ]
  for (const failure of failures) {
    const response = await handleApi(async asked => {
      log.warn(`${failure.message.slice(0, 9)} ${SECRETS.key} ${SECRETS.mail} ${SECRETS.wallet}`)
      await asked.text()
      throw failure
    })(request(headers, path))
    await response.text()
  }
  expect(written.lines().length).toBeGreaterThanOrEqual(2 * failures.length)
  const { word: _told, ...secrets } = SECRETS
  for (const secret of [...Object.values(secrets), '203.0.113.77', '?key', CREDIT_ID.slice(9)])
    expect(written.text()).not.toContain(secret)
})

test('the log lines of one request and its answer carry the same request id', async () => {
  const response = await handleApi(async () => {
    await Promise.resolve()
    log.warn('deep below')
    throw new Error('broken')
  })(request({ 'x-request-id': 'trace-7:42' }))
  await response.text()
  expect(response.headers.get('x-request-id')).toBe('trace-7:42')
  expect(written.lines().map(({ message, requestId }) => [message, requestId])).toEqual(
    ['deep below', 'internal error', 'request'].map(message => [message, 'trace-7:42']),
  )
})

test.each([
  ['of a proxy is kept', '0f1e2d3c4b5a69788796a5b4c3d2e1f0', true],
  ['that is a UUID is kept', 'c1b3a5d7-1111-4222-8333-944455556666', true],
  ['that is a key is replaced', SECRETS.key, false],
  ['that is the request’s credential is replaced', CREDIT_ID, false],
  ['with spaces is replaced', 'one two', false],
  ['that is too long is replaced', 'a.'.repeat(40), false],
])('a request id %s', async (_what, given, isTaken) => {
  const asked = request({ 'x-request-id': given, authorization: `Bearer ${CREDIT_ID}` })
  const taken = (await answerOf('')(asked)).headers.get('x-request-id')
  expect(taken === given).toBe(isTaken)
  expect(taken).toMatch(/^[\w.:-]+$/)
})

test('a client that leaves is logged once, and the answer’s stream is cancelled', async () => {
  let left: unknown = null
  const stream = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new Uint8Array(10)),
    cancel(reason) {
      left = reason
    },
  })
  const response = await handleApi(async () => new Response(stream))(request())
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel('gone')
  expect(left).toBe('gone')
  expect(written.lines()).toMatchObject([{ bytes: 10, aborted: true }])
})

test('a client that leaves while it waits for the next part is logged once', async () => {
  const silent = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(new Uint8Array(10)),
  })
  const response = await handleApi(async () => new Response(silent))(request())
  const reader = response.body?.getReader()
  await reader?.read()
  const next = reader?.read()
  await setImmediate()
  await reader?.cancel('gone')
  await next
  await setImmediate()
  expect(written.lines()).toMatchObject([{ bytes: 10, aborted: true }])
})

test('an answer to HEAD has no body, and is logged', async () => {
  const asked = new Request('https://site.test/keys', { method: 'HEAD' })
  const response = await answerOf('text')(asked)
  expect([await response.text(), written.lines().length]).toEqual(['', 1])
})

test('the body of an answer to HEAD is cancelled', async () => {
  const asked = new Request('https://site.test/keys', { method: 'HEAD' })
  let isLeft = false
  const body = new ReadableStream({
    cancel() {
      isLeft = true
    },
  })
  await handleApi(async () => new Response(body))(asked)
  expect(isLeft).toBe(true)
})
