import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from '@jest/globals'
import { useSdkSite } from '@/test/support/sdk-site'

const question = {
  model: 'standin/small',
  max_tokens: 1_000,
  messages: [{ role: 'user' as const, content: 'Say hello.' }],
}
const tools = [
  { name: 'add', input_schema: { type: 'object' as const, properties: { a: { type: 'number' } } } },
]

describe('the unmodified @anthropic-ai/sdk package', () => {
  const served = useSdkSite()
  const { apiKey, creditId } = served
  const client = (options: ConstructorParameters<typeof Anthropic>[0] = { apiKey }) =>
    new Anthropic({ baseURL: served.url, maxRetries: 0, apiKey: null, ...options })

  test.each([
    ['an API key in x-api-key', { apiKey }],
    ['a credit_id in x-api-key', { apiKey: creditId }],
    ['a bearer', { authToken: apiKey }],
  ])('sends a message with %s, and the response has its cost', async (_kind, options) => {
    const message = await client(options).messages.create(question)
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: expect.any(Number), cost: expect.any(Number), balance_usd: expect.any(Number) },
    })
    expect(message._request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('streams with the SDK’s stream helper', async () => {
    served.upstream.setScript({
      chat: { steps: [{ type: 'text', text: 'Hi ', times: 3 }], promptTokens: 10 },
    })
    const stream = client().messages.stream(question)
    const texts: string[] = []
    stream.on('text', text => texts.push(text))
    const message = await stream.finalMessage()
    expect(texts).toEqual(['Hi ', 'Hi ', 'Hi '])
    expect(message.content).toEqual([{ type: 'text', text: 'Hi Hi Hi ' }])
    expect(message.usage).toMatchObject({ input_tokens: 10, output_tokens: 3 })
  })

  test('calls a tool and sends its result back', async () => {
    served.upstream.setScript({
      chat: [
        {
          steps: [
            { type: 'reasoning', text: 'Add.' },
            { type: 'tool_call', id: 'call_1', name: 'add', arguments: '{"a":' },
            { type: 'tool_call', arguments: '1}' },
          ],
        },
        { steps: [{ type: 'text', text: 'It is 2.' }] },
      ],
    })
    const first = await client()
      .messages.stream({ ...question, tools })
      .finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const call = first.content.find(block => block.type === 'tool_use')
    expect(call).toMatchObject({ id: 'call_1', name: 'add', input: { a: 1 } })
    const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: '2' }
    const messages = [
      ...question.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ]
    const second = await client()
      .messages.stream({ ...question, tools, messages })
      .finalMessage()
    expect(second.content).toEqual([{ type: 'text', text: 'It is 2.' }])
    expect((await served.upstream.requestTo('/chat/completions', 1)).body).toMatchObject({
      messages: [
        question.messages[0],
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '2' },
      ],
    })
  })

  test('works with the SDK’s beta API, and the response names the ignored fields and betas', async () => {
    const { data, response } = await client()
      .beta.messages.create({
        ...question,
        betas: ['context-management-2025-06-27', 'interleaved-thinking-2025-05-14'],
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      })
      .withResponse()
    expect(data.content).toMatchObject([{ type: 'text', text: 'Hello.' }])
    expect(response.headers.get('x-ignored-fields')).toBe(
      'context_management, anthropic-beta.context-management-2025-06-27, anthropic-beta.interleaved-thinking-2025-05-14',
    )
  })

  test('lists the chat models page by page, and retrieves each by its id', async () => {
    const ids: string[] = []
    for await (const { id } of client().models.list({ limit: 2 })) ids.push(id)
    expect(ids).toContain('standin/small')
    expect(ids).not.toContain('standin/painter')
    expect(new Set(ids).size).toBe(ids.length)
    expect(await client().models.retrieve('standin/small')).toMatchObject({ display_name: 'Stand-in Small' })
    await expect(client().models.retrieve('claude-unheard-of')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error', code: 'model_not_found' } },
    })
  })

  test('counts tokens free of charge', async () => {
    const { model, messages } = question
    expect((await client().messages.countTokens({ model, messages, tools })).input_tokens).toBeGreaterThan(5)
    expect(served.upstream.requests).toEqual([])
  })

  test('aborts the upstream request when the client disconnects', async () => {
    served.upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }, { type: 'hang' }] } })
    const stream = await client().messages.create({ ...question, stream: true })
    for await (const event of stream) if (event.type === 'content_block_delta') break
    expect(await (await served.upstream.requestTo('/chat/completions')).ended).toBe('aborted')
  })

  test('raises an error when the upstream connection breaks in the middle of a stream', async () => {
    served.upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }, { type: 'destroy' }] } })
    await expect(client().messages.stream(question).finalMessage()).rejects.toThrow(
      'The connection to the model ended before its answer was complete.',
    )
  })

  test.each([
    ['an unknown key', Anthropic.AuthenticationError, 'authentication_error', {}, `sk-${'0'.repeat(32)}`],
    ['a malformed key', Anthropic.AuthenticationError, 'authentication_error', {}, 'nonsense'],
    ['an unknown model', Anthropic.NotFoundError, 'not_found_error', { model: 'claude-unheard-of' }, apiKey],
    ['a wrong field', Anthropic.BadRequestError, 'invalid_request_error', { max_tokens: -1 }, apiKey],
    [
      'a tool that its maker runs',
      Anthropic.BadRequestError,
      'invalid_request_error',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      apiKey,
    ],
  ])('raises the SDK’s error class for %s', async (_case, ErrorClass, type, fields, secret) => {
    const response = client({ apiKey: secret }).messages.create({ ...question, ...fields } as typeof question)
    const error = await response.catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(ErrorClass)
    expect(error).toMatchObject({ error: { type: 'error', error: { type, message: expect.any(String) } } })
    expect(error).toHaveProperty('requestID', expect.stringMatching(/^[0-9a-f-]{36}$/))
  })

  test('raises NotFoundError for batches, which are not supported', async () => {
    await expect(client().messages.batches.list()).rejects.toBeInstanceOf(Anthropic.NotFoundError)
  })

  test('raises the SDK’s error classes for errors from the upstream', async () => {
    served.upstream.setScript({ chat: { status: 400, body: { error: { message: 'bad tool' } } } })
    await expect(client().messages.create(question)).rejects.toBeInstanceOf(Anthropic.BadRequestError)
    served.upstream.setScript({ chat: { status: 503, body: {} } })
    await expect(client().messages.create(question)).rejects.toBeInstanceOf(Anthropic.InternalServerError)
  })

  test('raises an error with the available and the required amount when the credit is too low', async () => {
    const error = await client({ apiKey: await served.poor() })
      .messages.create(question)
      .catch((raised: unknown) => raised)
    expect(error).toMatchObject({
      status: 402,
      error: {
        type: 'error',
        error: { type: 'billing_error', available_usd: 0, required_usd: expect.any(Number) },
      },
    })
  })
})
