import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { type StandInUpstream, startStandInUpstream } from './upstream'
import type { Step, UsageScript } from './upstream-script'

let upstream: StandInUpstream
let client: OpenAI

beforeEach(async () => {
  upstream = await startStandInUpstream()
  client = new OpenAI({ baseURL: upstream.baseUrl, apiKey: 'sk-standin', maxRetries: 0 })
})
afterEach(() => upstream.close())

const words: Step[] = [
  { type: 'text', text: 'Grüß' },
  { type: 'text', text: ' dich ' },
  { type: 'text', text: '🪙' },
]
const ask = {
  model: 'standin/small',
  messages: [{ role: 'user' as const, content: 'Hi' }],
}

async function collect(extra: object = {}) {
  const stream = await client.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
    ...extra,
  })
  let text = ''
  const usages: unknown[] = []
  const reasons: unknown[] = []
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (chunk.usage) usages.push(chunk.usage)
    if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason)
  }
  return { text, usages, reasons }
}

/** The raw bytes of a streamed answer. */
async function readRaw(init: RequestInit = {}): Promise<Response> {
  return fetch(`${upstream.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, stream: true }),
    ...init,
  })
}

describe('a scripted fault', () => {
  test('with an error body before the first byte keeps its status and code', async () => {
    upstream.setScript({ chat: { status: 429, body: { error: { message: 'Slow down', code: 'rate' } } } })
    await expect(client.chat.completions.create(ask)).rejects.toThrow('429 Slow down')
  })

  test('with an error inside a 200 stream is raised by the client library', async () => {
    upstream.setScript({ chat: { steps: [...words, { type: 'error', error: { message: 'Broke' } }] } })
    await expect(collect()).rejects.toThrow('Broke')
  })

  test('with a broken connection delivers the earlier deltas and then fails', async () => {
    upstream.setScript({ chat: { steps: [...words, { type: 'destroy' }] } })
    const response = await readRaw()
    const received: string[] = []
    const reading = (async () => {
      for await (const piece of response.body ?? []) received.push(Buffer.from(piece).toString())
    })()
    await expect(reading).rejects.toThrow()
    expect(received.join('')).toContain('🪙')
    expect(received.join('')).not.toContain('[DONE]')
  })

  test('with an early end has no finish_reason and no [DONE]', async () => {
    upstream.setScript({ chat: { steps: [...words, { type: 'end' }] } })
    const text = await (await readRaw()).text()
    expect(text).toContain('🪙')
    expect(text).not.toContain('[DONE]')
    expect(text).not.toContain('"finish_reason":"stop"')
  })

  test('with a redirect has its location', async () => {
    upstream.setScript({ models: { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' } })
    const response = await fetch(`${upstream.baseUrl}/models`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/'])
  })

  test('with a hang before the headers ends when the client leaves, which is recorded', async () => {
    upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'held' }, { type: 'hang' }] } })
    const abort = new AbortController()
    const answer = readRaw({ signal: abort.signal })
    await upstream.gates.reached('held')
    abort.abort()
    await expect(answer).rejects.toThrow()
    const request = await upstream.requestTo('/chat/completions')
    expect(await request.ended).toBe('aborted')
    expect(request.abortedAt).not.toBeNull()
  })
})

describe('usage', () => {
  test.each<[string, UsageScript, unknown[]]>([
    ['absent', { mode: 'absent' }, []],
    ['garbage', { mode: 'value', value: 'many' }, ['many']],
    ['told twice', { mode: 'values', values: [{ a: 1 }, { a: 2 }] }, [{ a: 1 }, { a: 2 }]],
  ])('%s', async (_, usage, expected) => {
    upstream.setScript({ chat: { steps: words, usage } })
    expect((await collect()).usages).toEqual(expected)
  })

  test('is reported only if requested', async () => {
    expect((await collect({ stream_options: undefined })).usages).toEqual([])
  })

  test('cumulative counts grow on every chunk', async () => {
    upstream.setScript({ chat: { steps: words, usage: { mode: 'cumulative' } } })
    const counts = (await collect()).usages.map(
      usage => (usage as { completion_tokens: number }).completion_tokens,
    )
    expect(counts).toEqual([1, 2, 3, 3, 3])
  })
})

describe('answers', () => {
  test.each([
    ['plain', {}],
    ['one byte at a time', { bytesPerWriteMax: 1 }],
    ['CRLF', { lineEnd: '\r\n' as const }],
    ['in one piece', { coalesced: true }],
  ])('are the same text with framing: %s', async (_, framing) => {
    upstream.setScript({ chat: { steps: words, framing, costUsd: 0.25 } })
    const { text, usages, reasons } = await collect()
    expect(text).toBe('Grüß dich 🪙')
    expect(reasons).toEqual(['stop'])
    expect(usages).toEqual([expect.objectContaining({ completion_tokens: 3, cost: 0.25 })])
  })

  test('stop at max_tokens with the reason length, unless scripted to overshoot', async () => {
    upstream.setScript({ chat: [{ steps: words }, { steps: words, ignoresMaxTokens: true }] })
    expect(await collect({ max_tokens: 2 })).toMatchObject({ text: 'Grüß dich ', reasons: ['length'] })
    expect(await collect({ max_tokens: 2 })).toMatchObject({ text: 'Grüß dich 🪙', reasons: ['stop'] })
  })

  test('have merged tool calls when not streamed', async () => {
    upstream.setScript({
      chat: {
        steps: [
          { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":' },
          { type: 'tool_call', arguments: '"Bern"}' },
        ],
      },
    })
    const answer = await client.chat.completions.create(ask)
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
    })
  })

  test('wait at a gate until it is opened', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'gate', name: 'go' }, ...words] } })
    const answer = collect()
    await upstream.gates.reached('go')
    expect(upstream.requests[0]?.sentEventCount).toBe(0)
    upstream.gates.open('go')
    expect((await answer).text).toBe('Grüß dich 🪙')
  })

  test('leave a generation record, also when abandoned', async () => {
    upstream.setScript({ chat: { steps: [...words, { type: 'gate', name: 'cut' }], costUsd: 0.5 } })
    const abort = new AbortController()
    const response = await readRaw({ signal: abort.signal })
    await upstream.gates.reached('cut')
    abort.abort()
    await (await upstream.requestTo('/chat/completions')).ended
    const id = response.headers.get('x-generation-id')
    const record = await fetch(`${upstream.baseUrl}/generation?id=${id}`)
    expect(await record.json()).toMatchObject({ data: { total_cost: 0.5, tokens_completion: 3 } })
    expect((await fetch(`${upstream.baseUrl}/generation?id=other`)).status).toBe(404)
  })
})

test('method, path, headers and body of requests are recorded', async () => {
  await collect()
  expect(upstream.requests[0]).toMatchObject({
    method: 'POST',
    path: '/chat/completions',
    headers: { authorization: 'Bearer sk-standin' },
    body: { model: 'standin/small', stream: true },
    abortedAt: null,
  })
})

test('images, speech and transcriptions have their own shapes', async () => {
  const images = await client.images.generate({ model: 'standin/painter', prompt: 'A coin', n: 2 })
  expect(images.data).toHaveLength(2)
  const speech = await client.audio.speech.create({ model: 'standin/voice', voice: 'alloy', input: 'Hi' })
  expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(400)
})

test('answers in the other dialects can be read by their makers’ client libraries, streamed and whole', async () => {
  const steps: Step[] = [
    { type: 'reasoning', text: 'Add' },
    { type: 'reasoning', text: ' them.' },
    ...words,
    { type: 'tool_call', id: 'call_1', name: 'add', arguments: '{"a":' },
    { type: 'tool_call', arguments: '1}' },
  ]
  upstream.setScript({ chat: { steps } })
  const asked = { model: ask.model, input: 'Hi' }
  const output = [
    { type: 'reasoning', summary: [{ text: 'Add them.' }] },
    { type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Grüß dich 🪙' }] },
    { type: 'function_call', status: 'completed', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
  ]
  const response = { created_at: expect.any(Number), status: 'completed', output }
  expect(await client.responses.stream(asked).finalResponse()).toMatchObject(response)
  expect(await client.responses.create(asked)).toMatchObject(response)

  const anthropic = new Anthropic({ baseURL: upstream.baseUrl.slice(0, -'/v1'.length), apiKey: 'sk-standin' })
  const question = { ...ask, max_tokens: 100 }
  const content = [
    { type: 'thinking', thinking: 'Add them.', signature: expect.stringMatching(/./) },
    { type: 'text', text: 'Grüß dich 🪙' },
    { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } },
  ]
  expect(await anthropic.messages.stream(question).finalMessage()).toMatchObject({ content })
  expect(await anthropic.messages.create(question)).toMatchObject({ content })
})
