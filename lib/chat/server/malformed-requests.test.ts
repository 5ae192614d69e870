import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ApiError } from '@/lib/http/api-error'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createMemoryReplayStore } from '@/lib/ledger/server/metering/memory-replay-store'
import { ZERO } from '@/lib/money/decimal'
import { REQUEST_BYTES_MAX } from '../domain/exchange-limits'
import { readCompleteInput, readResumeInput, readStopInput } from './completion-request'
import { createExchanges } from './create-exchanges'

const CREDIT_ID = '8f14e45f-ceea-467f-8b1a-2c3d4e5f6a7b'
const unreachable = (): never => {
  throw new Error('A malformed request got as far as the ledger.')
}
const exchanges = createExchanges({
  ledger: new Proxy({} as Ledger, { get: unreachable }),
  catalogue: { listModels: async () => [], findModel: async () => null },
  upstreams: [],
  priceMarkup: ZERO,
  replayStore: createMemoryReplayStore({ bytesMax: 0 }),
})

async function post(body: BodyInit, headers: Record<string, string> = {}) {
  const request = new Request('http://localhost/v1/chat/completions', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${CREDIT_ID}`, ...headers },
  })
  return readCompleteInput(request)
    .then(exchanges.complete)
    .then(unreachable, error => error)
}

const valid = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const anything = fc.anything({ maxDepth: 2 }).filter(value => value !== undefined)
const FIELDS = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stream',
  'stream_options',
  'models',
  'tools',
]

describe('a malformed request', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', '{"model":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"hi"'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x7b])],
    ['no messages', JSON.stringify({ model: 'm', messages: [] })],
    ['messages without a role', JSON.stringify({ model: 'm', messages: [{ content: 'x' }] })],
    ['zero tokens', JSON.stringify({ ...valid, max_tokens: 0 })],
    ['negative tokens', JSON.stringify({ ...valid, max_tokens: -1 })],
    ['endless tokens', '{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":1e400}'],
    ['no choice', JSON.stringify({ ...valid, n: 0 })],
    ['a thousand choices', JSON.stringify({ ...valid, n: 1_000 })],
    ['too many messages', JSON.stringify({ ...valid, messages: Array(10_001).fill(valid.messages[0]) })],
  ])('of %s is the caller’s fault', async (_case, body) => {
    const error = await post(body)
    expect(error).toBeInstanceOf(ApiError)
    expect(error.status).toBe(400)
  })

  test('with any value in any field that is read is a 4xx, never worse', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIELDS), anything, async (field, value) => {
        let body: string
        try {
          body = JSON.stringify({ ...valid, [field]: value })
        } catch {
          return
        }
        const error = await post(body)
        expect(error).toBeInstanceOf(ApiError)
        expect([400, 404]).toContain(error.status)
      }),
      { numRuns: 500 },
    )
  })

  test('that is nested beyond reason is still only a malformed request', async () => {
    const depth = 200_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const error = await post(`{"model":"m","messages":[{"role":"user","content":"x"}],"extra":${deep}}`)
    expect([400, 404]).toContain(error.status)
  })

  test('larger than the bound is refused whatever its length claims', async () => {
    const body = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(REQUEST_BYTES_MAX / 4).fill(0x20)),
    })
    const request = new Request('http://localhost/', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${CREDIT_ID}` },
      duplex: 'half',
    } as RequestInit)
    await expect(readCompleteInput(request)).rejects.toMatchObject({ code: 'request_too_large', status: 413 })
  })

  test.each([
    [{ authorization: '' }, 401],
    [{ authorization: 'Bearer nonsense' }, 401],
    [{ 'x-resume-key': 'short' }, 400],
    [{ 'idempotency-key': 'k'.repeat(256) }, 400],
  ])('with the headers %j answers %i', async (headers, status) => {
    expect((await post(JSON.stringify(valid), headers as Record<string, string>)).status).toBe(status)
  })

  test.each(['../../etc/passwd', 'a b', '', 'x'.repeat(200), '%00'])(
    'for an exchange named %j finds nothing',
    name => {
      const request = new Request('http://localhost/', { headers: { authorization: `Bearer ${CREDIT_ID}` } })
      expect(() => readStopInput(request, name)).toThrow(expect.objectContaining({ status: 404 }))
      expect(() => readResumeInput(request, name)).toThrow(expect.objectContaining({ status: 404 }))
    },
  )

  test.each(['-1', '1.5', 'x', '9'.repeat(20)])(
    'that resumes behind event %s is the caller’s fault',
    lastEventId => {
      const headers = { authorization: `Bearer ${CREDIT_ID}`, 'last-event-id': lastEventId }
      const request = new Request('http://localhost/', { headers })
      expect(() => readResumeInput(request, 'abc')).toThrow(expect.objectContaining({ status: 400 }))
    },
  )
})
