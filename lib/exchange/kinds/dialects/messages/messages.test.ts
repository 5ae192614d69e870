import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { describeOnPostgres } from '@/lib/db/testing'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { askInMessages, newResumeKey, QUESTION } from '@/test/support/exchange-calls'
import { parseEvents, readAll } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'
import { ChatStream } from '../../chat/stream'
import { messagesAnswerForm } from './answer'
import { readMessagesRequest } from './contract'
import { countQuestionTokens } from './messages'

const STEPS = [
  { type: 'reasoning' as const, text: 'Let me see.' },
  { type: 'text' as const, text: 'Hi ', times: 2 },
  { type: 'tool_call' as const, id: 'call_1', name: 'add', arguments: '{"a":' },
  { type: 'tool_call' as const, arguments: '1}' },
]
const CONTENT = [
  { type: 'thinking', thinking: 'Let me see.', signature: expect.any(String) },
  { type: 'text', text: 'Hi Hi ' },
  { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } },
]
const USAGE = {
  input_tokens: 6,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 4,
  output_tokens: 5,
  cost: expect.any(Number),
  balance_usd: expect.any(Number),
}
const THINKING = { max_tokens: 3_000, thinking: { type: 'enabled', budget_tokens: 2_000 } }

describeOnPostgres('an answer as Anthropic Messages', getDatabase => {
  const upstream = useStandInUpstream({ chat: { steps: STEPS, promptTokens: 10, cachedTokens: 4 } })
  const site = () => startSite({ database: getDatabase(), upstream })

  test('is streamed as the events of Messages in their order, and ends with its cost', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await askInMessages(running, customer, { body: THINKING })
    expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const text = await readAll(reply)
    const events = parseEvents(text)
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(
      events.map(({ type }) => type),
    )
    expect(events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
    ])
    expect(events[0]).toMatchObject({
      message: { type: 'message', role: 'assistant', content: [], model: 'standin/small' },
    })
    expect(events[3]).toMatchObject({
      delta: { type: 'signature_delta', signature: expect.stringMatching(/./) },
    })
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: USAGE,
    })
    const { body } = await upstream.requestTo('/chat/completions')
    expect(body).toMatchObject({ messages: QUESTION.messages, max_tokens: 3_000 })
  })

  test('without streaming has the same content', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await askInMessages(running, customer, { body: { ...THINKING, stream: false } })
    expect(JSON.parse(await readAll(reply))).toMatchObject({
      id: expect.stringMatching(/^msg_\w+$/),
      type: 'message',
      role: 'assistant',
      content: CONTENT,
      stop_reason: 'tool_use',
      usage: USAGE,
    })
  })

  test('is preceded by a free estimate of its prompt tokens without the tokenizer', async () => {
    const estimateOf = (content: string) =>
      countQuestionTokens({ model: 'standin/small', messages: [{ role: 'user', content }] })
    const content = 'Which of these coins is worth the most? '.repeat(30)
    const tokenCount = await countTokens([content])
    expect(estimateOf(content)).toBeGreaterThan(tokenCount * 0.8)
    expect(estimateOf(content)).toBeLessThan(tokenCount * 1.25)
    // The tokenizer knows rows of one sign as single tokens; the quick count does not.
    const row = '='.repeat(20_000)
    expect(estimateOf(row)).toBeGreaterThan(10 * (await countTokens([row])))
  })

  test('is preceded by an estimate that counts a picture as its model does', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }]
    const estimateFor = (model: string) => countQuestionTokens({ model, messages })
    expect(estimateFor('openai/gpt-4o-mini')).toBeGreaterThan(20 * estimateFor('standin/small'))
  })

  test('starts with an estimate of its input tokens and ends with their count', async () => {
    upstream.setScript({ chat: { steps: STEPS, promptTokens: 300, cachedTokens: 200 } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const messages = [{ role: 'user', content: 'Which of these coins is worth the most? '.repeat(30) }]
    const events = parseEvents(await readAll(await askInMessages(running, customer, { body: { messages } })))
    const tokenCount = await countTokens(messages.map(({ content }) => content))
    const { usage } = fieldsOf(events[0]?.message)
    const { input_tokens: about, ...rest } = fieldsOf(usage)
    expect(about).toBeGreaterThan(tokenCount * 0.8)
    expect(about).toBeLessThan(tokenCount * 1.25)
    expect(rest).toEqual({ cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 })
    expect(events.at(-2)).toMatchObject({ usage: { input_tokens: 100, cache_read_input_tokens: 200 } })
  })

  test.each([
    ['length', 'max_tokens'],
    ['stop', 'end_turn'],
    ['content_filter', 'refusal'],
  ])('with the finish_reason %s has the stop_reason %s', async (finishReason, stop_reason) => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }], finishReason } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await askInMessages(running, customer)))
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason } })
  })

  test('that breaks off ends with an error in Anthropic’s shape and its cost', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi ' }, { type: 'destroy' }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await askInMessages(running, customer)))
    const { chargedNano } = await onlyUsage(running.ledger, customer)
    expect(chargedNano).toBeGreaterThan(0n)
    expect(events.at(-2)).toEqual({ type: 'content_block_stop', index: 0 })
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: {
        type: 'api_error',
        code: 'upstream_error',
        message: 'The connection to the model ended before its answer was complete.',
      },
      usage: { cost: Number(chargedNano) / 1e9 },
    })
  })

  test('repeats an upstream’s refusal in Anthropic’s shape under the same idempotency key', async () => {
    upstream.setScript({ chat: { status: 400, body: { error: { message: 'bad tool' } } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const asked = () => askInMessages(running, customer, { idempotencyKey: 'once' })
    await expect(asked()).rejects.toMatchObject({ code: 'invalid_request' })
    const again = await asked()
    expect([again.status, JSON.parse(await readAll(again))]).toEqual([
      400,
      {
        type: 'error',
        error: expect.objectContaining({ type: 'invalid_request_error', message: 'bad tool' }),
      },
    ])
  })

  test.each([
    [
      "This model's maximum context length is 8 tokens.",
      "prompt is too long: This model's maximum context length is 8 tokens.",
    ],
    ['prompt is too long: 9 tokens > 8 maximum', 'prompt is too long: 9 tokens > 8 maximum'],
  ])(
    'starts the error of a too long prompt with the words that clients look for: %s',
    async (told, message) => {
      upstream.setScript({ chat: { status: 400, body: { error: { message: told } } } })
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const asked = () => askInMessages(running, customer, { idempotencyKey: 'once' })
      await asked().catch(() => null)
      expect(JSON.parse(await readAll(await asked())).error).toMatchObject({
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message,
      })
    },
  )

  test('is repeated under its idempotency key, and refused with another body', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const first = await readAll(await askInMessages(running, customer, { idempotencyKey: 'once' }))
    expect(await readAll(await askInMessages(running, customer, { idempotencyKey: 'once' }))).toBe(first)
    const body = { max_tokens: 999 }
    await expect(askInMessages(running, customer, { idempotencyKey: 'once', body })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    })
  })

  test('can be resumed after any of its events', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const resumeKey = newResumeKey()
    const reply = await askInMessages(running, customer, { resumeKey })
    const text = await readAll(reply)
    const { credential } = customer
    const rest = await running.exchanges.resume({
      credential,
      name: reply.headers['x-exchange-id'] ?? '',
      resumeKey,
      lastEventId: 3,
      signal: new AbortController().signal,
    })
    expect(text.endsWith(await readAll(rest))).toBe(true)
    expect(text).toMatch(/^id: 1\nevent: message_start\n/)
  })
})

test('the same events are written wherever the upstream’s stream is split', () => {
  const { request } = readMessagesRequest({ ...QUESTION, max_tokens: 10 })
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'gen-1', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const stream = Buffer.from(
    [
      ': PROCESSING\n\n',
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning: 'Grüße 🌍' }),
      chunk({ content: 'Ja, 你好' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"ß":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"\\u00e9"}' } }] }, 'tool_calls'),
      'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\r\n\r\n',
    ].join(''),
  )
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 0 }
  const eventsOf = (cuts: readonly number[]) => {
    const form = messagesAnswerForm(request).stream(() => 0)
    const events = new ChatStream(form)
    const ends = [...new Set(cuts.map(cut => cut % stream.length))].sort((left, right) => left - right)
    const pieces = [...ends, stream.length].map((end, index) => stream.subarray(ends[index - 1] ?? 0, end))
    const told = pieces.map(piece => events.push(piece)?.toString() ?? '').join('')
    return told + (events.flush() ?? '') + form.end({ end: { status: 'completed', error: null }, usage })
  }
  const whole = eventsOf([])
  expect(whole).toContain('"partial_json":"\\"\\\\u00e9\\"}"')
  fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 30 }), cuts => expect(eventsOf(cuts)).toBe(whole)))
})
