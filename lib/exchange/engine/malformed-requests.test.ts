import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { parseJson } from '@/lib/http/read-body'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { ZERO } from '@/lib/money/decimal'
import { readChatRequest } from '../kinds/chat/contract'
import { readMessagesRequest } from '../kinds/dialects/messages/contract'
import { readResponsesRequest } from '../kinds/dialects/responses/contract'
import { createKinds } from '../kinds/kinds'
import { createExchanges } from './exchanges'
import { readExchangeName, readIdempotencyKey, readLastEventId, readResumeKey } from './request-headers'

const unreachable = (): never => {
  throw new Error('A malformed request got as far as the ledger.')
}
const nothing = { put: async () => {}, find: async () => null, sweep: async () => {} }
const exchanges = createExchanges({
  ledger: new Proxy({} as Ledger, { get: unreachable }),
  priceMarkup: ZERO,
  replayStore: nothing,
})
const { chat } = createKinds({
  catalogue: {
    listModels: async () => [],
    findModel: async () => null,
    secondsToMissingList: async () => null,
  },
  upstreams: [],
  elevenLabs: null,
  listVoices: async () => [],
  priceMarkup: ZERO,
})

function post(body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return exchanges
    .begin(chat, {
      credential: { kind: 'credit_id', secretHash: 'a'.repeat(64) },
      body: bytes,
      json: () => parseJson(bytes, z.unknown()),
      contentType: 'application/json',
      idempotencyKey: null,
      maxChargeNano: null,
      resumeKey: null,
      querySource: 'api',
      takeFree: async () => {},
      signal: new AbortController().signal,
    })
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
  test.each(['model', 'messages'])('with a length in %s that cannot be compared is invalid', async field => {
    const body = JSON.stringify({ ...valid, [field]: { length: { toString: 1 } } })
    expect(await post(body)).toMatchObject({ code: 'invalid_request', status: 400 })
  })

  test.each([
    ['chat', readChatRequest, 'messages', {}],
    ['Messages', readMessagesRequest, 'messages', { max_tokens: 1 }],
    ['Responses', readResponsesRequest, 'input', {}],
  ] as const)('with %s is validated only up to the first fault', (_, readBody, field, more) => {
    const type = field === 'input' ? 'input_text' : 'text'
    const content = Object.defineProperty([{ type, text: 'a' }, 0, 0], 2, {
      get() {
        throw new Error('The rest need not be looked at.')
      },
    })
    const read = () => readBody({ ...more, model: 'm', [field]: [{ role: 'user', content }] })
    expect(read).toThrow(expect.objectContaining({ status: 400, param: `${field}.0.content.1` }))
  })

  test.each([
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'file', file: { file_id: 'gs://bucket/a.pdf' } },
    { type: 'input_image', file_id: 'file-1' },
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
  ])('that names a file of the operator’s account at a host is refused: %j', part => {
    const read = (named: object) =>
      readChatRequest({ model: 'm', messages: [{ role: 'user', content: [named] }] })
    expect(() => read(part)).toThrow(expect.objectContaining({ status: 400, param: 'messages.0.content.0' }))
    expect(
      read({ type: 'file', file: { file_id: 'https://example.com/a.pdf' } }).request.messages,
    ).toHaveLength(1)
  })

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
  ])('with %s is answered with a 4xx', async (_case, body) => {
    const error = await post(body)
    expect(error).toBeInstanceOf(ApiError)
    expect(error.status).toBe(400)
  })

  test('with any value in any known field is answered with a 4xx at worst', async () => {
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

  test('that is nested very deeply is answered with a 4xx', async () => {
    const depth = 200_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const error = await post(`{"model":"m","messages":[{"role":"user","content":"x"}],"extra":${deep}}`)
    expect([400, 404]).toContain(error.status)
  })

  test.each([
    ['x-resume-key', 'short', readResumeKey],
    ['idempotency-key', 'k'.repeat(256), readIdempotencyKey],
    ['last-event-id', '-1', readLastEventId],
    ['last-event-id', '1.5', readLastEventId],
    ['last-event-id', 'x', readLastEventId],
    ['last-event-id', '9'.repeat(20), readLastEventId],
  ])('with the header %s: %s is answered with a 4xx', (name, value, read) => {
    expect(() => read(new Headers({ [name]: value }))).toThrow(expect.objectContaining({ status: 400 }))
  })

  test.each(['../../etc/passwd', 'a b', '', 'x'.repeat(200), '%00'])(
    'for an exchange named %j is answered with not_found',
    name => {
      expect(() => readExchangeName(name)).toThrow(expect.objectContaining({ status: 404 }))
    },
  )
})
