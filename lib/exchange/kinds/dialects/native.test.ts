import { describe, expect, test } from '@jest/globals'
import { ApiError } from '@/lib/http/api-error'
import type { ExchangeEnd } from '../../engine/ends'
import type { AnswerForm } from '../chat/answer-form'
import { ChatStream } from '../chat/stream'
import { MESSAGES } from './messages/messages'
import { RESPONSES } from './responses/responses'
import { sealThought } from './thoughts'

type Event = { type: string } & Record<string, unknown>

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, cost: 0.25, balance_usd: 4 }
const STOPPED: ExchangeEnd = { status: 'stopped', error: null }
const BROKEN: ExchangeEnd = { status: 'failed', error: new ApiError('upstream_error', 'It broke off.') }
const HI = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 }

function nativeOf(dialect: typeof MESSAGES, question: object) {
  const { native } = dialect.read({ model: 'm', ...question })
  if (!native) throw new Error('It would be translated.')
  return native
}

function write(events: readonly Event[]): string {
  return events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** What goes on of a host's events, and what is said behind them. */
function relay(answer: AnswerForm, events: readonly Event[], end: ExchangeEnd) {
  const form = answer.stream(() => 0)
  const stream = new ChatStream(form)
  const passed = stream.push(Buffer.from(write(events)))?.toString('utf8') ?? ''
  const said = form.end({ end, usage: USAGE }).toString('utf8')
  const last = said
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  return { stream, passed, last }
}

describe('an answer from a host that speaks Messages itself', () => {
  const { answer } = nativeOf(MESSAGES, HI)
  const begin: Event[] = [
    {
      type: 'message_start',
      message: { id: 'msg_1', model: 'm', usage: { input_tokens: 7, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  ]
  const block: Event = { type: 'content_block_stop', index: 0 }
  const delta = { stop_reason: 'tool_use', stop_sequence: null }
  const counts = {
    output_tokens: 3,
    cache_read_input_tokens: 2,
    cost: 0.2,
    is_byok: false,
    speed: 'standard',
  }
  const ending: Event = { type: 'message_delta', delta, usage: counts }

  test('is passed on unchanged except for its last event, which has the charge', () => {
    const { stream, passed, last } = relay(answer, [...begin, block, ending, { type: 'message_stop' }], {
      status: 'completed',
      error: null,
    })
    expect(passed).toBe(write([...begin, block]))
    expect(last).toEqual([
      {
        type: 'message_delta',
        delta,
        usage: {
          speed: 'standard',
          input_tokens: 7,
          output_tokens: 3,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cost: 0.25,
          balance_usd: 4,
        },
      },
      { type: 'message_stop' },
    ])
    expect(stream.ended).toBe('done')
    expect(stream.finalReports).toEqual([
      expect.objectContaining({
        prompt_tokens: 9,
        prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
        completion_tokens: 3,
        cost: 0.2,
      }),
    ])
  })

  test.each([
    ['stopped', STOPPED, ['content_block_stop', 'message_delta', 'message_stop']],
    ['broken off', BROKEN, ['content_block_stop', 'error']],
  ] as const)('closes its open events when it is %s', (_, end, types) => {
    const { stream, last } = relay(answer, begin, end)
    expect(last.map(({ type }) => type)).toEqual(types)
    expect(last.find(({ usage }) => usage)?.usage).toMatchObject({ cost: 0.25, balance_usd: 4 })
    expect({ ended: stream.ended, complete: stream.isComplete, reports: stream.usageReports }).toEqual({
      ended: null,
      complete: false,
      reports: [],
    })
  })

  test.each([
    ['a count that is none', { input_tokens: '7', output_tokens: 3 }],
    ['a negative count', { input_tokens: 7, cache_read_input_tokens: -5, output_tokens: 3 }],
    ['the beginning’s count of what was written', { input_tokens: 7 }],
  ])('is not charged by %s', (_, usage) => {
    const { stream } = relay(answer, [...begin, { ...ending, usage }], STOPPED)
    const [report] = stream.usageReports as Record<string, unknown>[]
    const isCounted = Number.isFinite(report?.prompt_tokens) && Number.isFinite(report?.completion_tokens)
    expect(isCounted).toBe(false)
  })

  test('is charged by the counts at its end, not by those at its start', () => {
    const usage = { input_tokens: 7, output_tokens: 1, cost: 0.01, cost_details: {}, is_byok: true }
    const start = { type: 'message_start', message: { id: 'msg_1', model: 'm', usage } }
    const { stream, passed } = relay(
      answer,
      [start, ...begin.slice(1), { ...ending, usage: { output_tokens: 300, cost: null } }],
      STOPPED,
    )
    expect(passed).not.toMatch(/cost|byok/)
    expect(stream.finalReports).toEqual([
      expect.objectContaining({
        prompt_tokens: 7,
        completion_tokens: 300,
        cost: undefined,
        is_byok: undefined,
      }),
    ])
  })

  test('is counted even if the input of a tool call is nested very deeply', async () => {
    const input = JSON.parse(`{"a":${'['.repeat(50_000)}"word"${']'.repeat(50_000)}}`)
    const content_block = { type: 'tool_use', id: 'toolu_1', name: 'add', input }
    const whole = answer.read?.({ id: 'msg_1', content: [content_block], usage: counts })
    const stream = new ChatStream()
    stream.takeWhole(whole ?? {})
    expect((await stream.delivered.count()).outputTokenCount).toBeGreaterThan(1)
    expect(stream.usageReports).toHaveLength(1)
  })

  test('does not count zero input tokens if the host reports none', () => {
    const untold: Event = { type: 'message_start', message: { id: 'msg_1', model: 'm' } }
    const { stream } = relay(answer, [untold, { ...ending, usage: { output_tokens: 3 } }], STOPPED)
    const [report] = stream.usageReports as Record<string, unknown>[]
    expect(report?.prompt_tokens).toBeNaN()
  })

  test('counts the content of every kind of block, also of unknown ones', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'Let me see', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'x'.repeat(9_000) },
      { type: 'tool_use', id: 'toolu_1', name: 'add', input: { first: 'one', second: 'two' } },
      { type: 'made_up', words: 'of which nobody has heard' },
    ]
    for (const content_block of blocks) {
      const { stream } = relay(answer, [{ type: 'content_block_start', index: 0, content_block }], STOPPED)
      expect((await stream.delivered.count()).outputTokenCount).toBeGreaterThan(1)
      const whole = answer.read?.({ id: 'msg_1', content: [content_block], usage: counts })
      expect(whole).toMatchObject({ choices: [expect.anything(), { finish_reason: 'end_turn' }] })
    }
  })
})

describe('an answer from a host that speaks Responses itself', () => {
  const { answer } = nativeOf(RESPONSES as typeof MESSAGES, { input: 'Hi' })
  const head = { id: 'resp_1', object: 'response', model: 'm', error: null }
  const item = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello' }],
  }
  const begin: Event[] = [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { ...head, status: 'in_progress', output: [] },
    },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...item, content: [] },
    },
    { type: 'response.output_text.delta', sequence_number: 2, output_index: 0, delta: 'Hello' },
  ]
  const done: Event = { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item }
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 2 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 1 },
    total_tokens: 12,
    cost: 0.2,
    cost_details: { upstream_inference_cost: 0.1 },
  }

  test('is passed on unchanged except for its last event, which has the charge', () => {
    const response = { ...head, status: 'completed', output: [item], usage, extra: 'kept' }
    const ending: Event = { type: 'response.completed', sequence_number: 4, response }
    const { stream, passed, last } = relay(answer, [...begin, done, ending], {
      status: 'completed',
      error: null,
    })
    expect(passed).toBe(write([...begin, done]))
    expect(last).toEqual([
      {
        ...ending,
        response: {
          ...response,
          usage: {
            input_tokens: 7,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 3,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 10,
            cost: 0.25,
            balance_usd: 4,
          },
        },
      },
    ])
    expect(stream.finalReports).toEqual([
      expect.objectContaining({
        prompt_tokens: 9,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
        cost: 0.2,
      }),
    ])
    expect(stream.delivered.deltaCount).toBe(1)
  })

  test.each([
    ['stopped', STOPPED, 'response.incomplete'],
    ['broken off', BROKEN, 'response.failed'],
  ] as const)('ends with its finished items when it is %s', (_, end, type) => {
    const { last } = relay(answer, [...begin, done], end)
    expect(last).toMatchObject([
      { type, sequence_number: 4, response: { id: 'resp_1', output: [item], usage: { cost: 0.25 } } },
    ])
  })

  test('that fails is charged by the usage in its response.failed event', () => {
    const response = { ...head, status: 'failed', error: { code: 'server_error', message: 'No' }, usage }
    const { stream, passed } = relay(answer, [...begin, { type: 'response.failed', response }], BROKEN)
    expect(passed).toBe(write(begin))
    expect({ ended: stream.ended, error: stream.error }).toEqual({ ended: 'failed', error: response.error })
    expect(stream.finalReports).toMatchObject([{ cost: 0.2 }])
  })

  const overloaded = { code: 'server_error', message: 'Overloaded' }
  test.each<[string, Event, object]>([
    ['OpenAI’s error event', { type: 'error', ...overloaded }, overloaded],
    ['an error event of another host', { type: 'error', error: overloaded }, overloaded],
    [
      'a response.failed without a reason',
      { type: 'response.failed', response: head },
      { message: expect.stringContaining('failed') },
    ],
  ])('fails with the words of the host in %s', (_, event, error) => {
    const { stream } = relay(answer, [...begin, event], BROKEN)
    expect({ ended: stream.ended, error: stream.error }).toEqual({ ended: 'failed', error })
  })

  test('counts output that appears only in its last event', async () => {
    const response = { ...head, status: 'completed', output: [item], usage }
    const { stream } = relay(answer, [{ type: 'response.completed', response }], STOPPED)
    expect(stream.delivered.hasOutput).toBe(true)
    const call = { type: 'function_call', name: 'add', arguments: '{"a":1}' }
    const called = relay(answer, [{ ...done, item: call }], STOPPED).stream
    expect((await called.delivered.count()).outputTokenCount).toBeGreaterThan(3)
  })
})

describe.each([
  ['Messages', MESSAGES, HI],
  ['Responses', RESPONSES, { input: 'Hi' }],
] as const)('an answer of a host that speaks %s itself', (_name, dialect, question) => {
  test.each<object>([
    { detail: 'No reply from http://10.0.0.1' },
    { object: 'error', message: 'No reply' },
    { error: 'No reply' },
  ])('fails with %j among its events, of which nothing is passed on', event => {
    const stream = new ChatStream(nativeOf(dialect as typeof MESSAGES, question).answer.stream(() => 0))
    expect(stream.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))).toBeNull()
    const error = 'error' in event ? event.error : event
    expect({ ended: stream.ended, error: stream.error }).toEqual({ ended: 'failed', error })
  })
})

test('an error in place of a whole answer is read as an error, in both dialects', () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' }
  for (const [dialect, question] of [
    [MESSAGES, HI],
    [RESPONSES, { input: 'Hi' }],
  ] as const)
    expect(nativeOf(dialect, question).answer.read?.({ type: 'error', error })).toEqual({ error })
})

test('a request with reasoning that we sealed is translated instead of passed on natively', () => {
  const seal = sealThought({ type: 'reasoning.encrypted', data: 'x' })
  const thinking = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: seal }] }
  const messages = [...HI.messages, thinking, ...HI.messages]
  const { native, ignoredFields } = MESSAGES.read(
    { model: 'm', ...HI, messages },
    'interleaved-thinking-2025-05-14',
  )
  // Nobody hears of what is asked for in headers alone.
  expect([native, ignoredFields]).toEqual([null, ['anthropic-beta.interleaved-thinking-2025-05-14']])
  const input = [{ type: 'reasoning', summary: [], encrypted_content: seal }, ...HI.messages]
  expect(RESPONSES.read({ model: 'm', input }).native).toBeNull()
})

test.each([
  [MESSAGES, { ...HI, temperature: null, metadata: null, tool_choice: null, tools: null }],
  [RESPONSES, { input: 'Hi', temperature: null, user: null, instructions: null, reasoning: null }],
])('no null of a client is sent to a host, which may refuse it: %#', (dialect, asked) => {
  const { chat, native } = dialect.read({ model: 'm', ...asked })
  expect(Object.values({ ...chat, ...native?.body(chat) })).not.toContain(null)
})

describe('a Messages request for a host that speaks Messages itself', () => {
  test('reports no more dropped betas than fit into a header', () => {
    const many = Array.from({ length: 100 }, (_, index) => `beta-${index}-${'x'.repeat(100)}`).join()
    const { ignoredFields } = MESSAGES.read({ model: 'm', ...HI }, many)
    expect(ignoredFields).toHaveLength(32)
    expect(ignoredFields.join().length).toBeLessThan(2_200)
  })

  const thinking = { type: 'enabled', budget_tokens: 8_000 }
  const asked = { ...HI, max_tokens: 10_000, thinking }
  const sentFor = (question: object, chat: object) =>
    nativeOf(MESSAGES, question).body({ model: 'n', ...chat })

  test.each([
    [10_000, 8_000, 8_000],
    [6_000, 6_000, 3_000],
    [6_000, 1_500, 1_500],
    [2_000, 2_000, undefined],
  ])(
    'with at most %i tokens, %i of them for thinking, has a thinking budget of %p',
    (max_tokens, thought, budget) => {
      const sent = sentFor(asked, { max_tokens, reasoning: { max_tokens: thought } })
      expect(sent).toMatchObject({ model: 'n', max_tokens })
      expect(sent.thinking).toEqual(budget && { ...thinking, budget_tokens: budget })
    },
  )

  test('names found tools in words, since hosts are not asked to defer any', () => {
    const content = [{ type: 'tool_reference', tool_name: 'WebFetch' }]
    const messages = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }]
    const text = 'The tool WebFetch can be called now.'
    expect(sentFor({ ...HI, messages }, {}).messages).toMatchObject([
      { content: [{ type: 'tool_result', content: [{ type: 'text', text }] }] },
    ])
  })

  test('leaves out blocks that the price of the translated request does not count', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'Nobody asked' }
    const unsigned = { type: 'thinking', thinking: 'Nobody said' }
    const messages = [
      { role: 'user', content: [unsigned, { type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [result, unsigned, { type: 'text', text: 'Yes?' }] },
    ]
    expect(sentFor({ ...HI, messages }, {}).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
    ])
  })
})
