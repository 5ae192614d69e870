import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { SANDBOX_MESSAGES } from '../domain/messages-dialect'
import { SANDBOX_RESPONSES } from '../domain/responses-dialect'
import { completeInSandbox } from './complete-in-sandbox'

const DIALECTS = { '/v1/messages': SANDBOX_MESSAGES, '/v1/responses': SANDBOX_RESPONSES }

/** The vendors' own clients talking to the practice models, without a network in between. */
const options = {
  apiKey: 'sk-practice',
  maxRetries: 0,
  fetch: (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init)
    const dialect = Object.entries(DIALECTS).find(([path]) => path === new URL(request.url).pathname)?.[1]
    return completeInSandbox(request, { paceMs: 0, dialect })
  },
}
const client = new OpenAI({ ...options, baseURL: 'http://sandbox.test/v1' })
const anthropic = new Anthropic({ ...options, baseURL: 'http://sandbox.test' })
const ask = { model: 'sandbox/quarter', messages: [{ role: 'user' as const, content: 'Weather in Bern?' }] }
const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

test('reads an answer that breaks off as an error', async () => {
  const stream = await client.chat.completions.create({
    ...ask,
    messages: [{ role: 'user', content: 'fail midway' }],
    stream: true,
  })
  const reading = (async () => {
    for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk')
  })()
  await expect(reading).rejects.toThrow('broke off')
})

test('reads a stream to its usage', async () => {
  const stream = await client.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let outputTokenCount = 0
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    outputTokenCount = chunk.usage?.completion_tokens ?? outputTokenCount
  }
  expect(text).toContain('> Weather in Bern?')
  expect(outputTokenCount).toBeGreaterThan(50)
})

test('calls a tool and answers its result in text', async () => {
  const first = await client.chat.completions.create({ ...ask, tools })
  const [call] = first.choices[0]?.message.tool_calls ?? []
  expect(call).toMatchObject({
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"example"}' },
  })
  const second = await client.chat.completions.create({
    ...ask,
    tools,
    messages: [
      ...ask.messages,
      { role: 'assistant', content: null, tool_calls: first.choices[0]?.message.tool_calls },
      { role: 'tool', tool_call_id: call?.id ?? '', content: '21 degrees' },
    ],
  })
  expect(second.choices[0]?.message.content).toContain('21 degrees')
})

const QUESTION = 'Think about the weather in Bern'

test('answers in Messages, streamed and whole, with the same usage', async () => {
  const question = {
    model: ask.model,
    max_tokens: 2_000,
    messages: [{ role: 'user' as const, content: QUESTION }],
  }
  const whole = await anthropic.messages.create(question)
  const streamed = await anthropic.messages.stream(question).finalMessage()
  expect(streamed).toMatchObject({ content: whole.content, usage: whole.usage, stop_reason: 'end_turn' })
  expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  expect(whole.usage.output_tokens).toBeGreaterThan(50)
})

test('calls a tool in Messages and answers its result in text', async () => {
  const messages = [{ role: 'user' as const, content: QUESTION }]
  const weather = { name: 'weather', input_schema: tools[0]?.function.parameters as { type: 'object' } }
  const question = { model: ask.model, max_tokens: 2_000, tools: [weather] }
  const { content, stop_reason } = await anthropic.messages.stream({ ...question, messages }).finalMessage()
  expect({ content, stop_reason }).toMatchObject({
    content: [{ type: 'tool_use', name: 'weather', input: { city: 'example' } }],
    stop_reason: 'tool_use',
  })
  const id = content[0]?.type === 'tool_use' ? content[0].id : ''
  const results = [{ type: 'tool_result' as const, tool_use_id: id, content: '21 degrees' }]
  const second = await anthropic.messages.create({
    ...question,
    messages: [...messages, { role: 'assistant', content }, { role: 'user', content: results }],
  })
  expect(JSON.stringify(second.content)).toContain('21 degrees')
})

test('answers in Responses, streamed and whole, with the same usage', async () => {
  const question = { model: ask.model, input: QUESTION }
  const whole = await client.responses.create(question)
  const streamed = await client.responses.stream(question).finalResponse()
  expect(streamed).toMatchObject({ output_text: whole.output_text, usage: whole.usage, status: 'completed' })
  expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  expect(whole.usage?.output_tokens).toBeGreaterThan(50)
})

test('calls a tool in Responses and answers its result in text', async () => {
  const tool = { type: 'function' as const, name: 'weather', strict: false }
  const question = {
    model: ask.model,
    tools: [{ ...tool, parameters: tools[0]?.function.parameters ?? null }],
  }
  const input = [{ role: 'user' as const, content: QUESTION }]
  const { output } = await client.responses.stream({ ...question, input }).finalResponse()
  expect(output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"example"}' }])
  const call = output[0]?.type === 'function_call' ? [output[0]] : []
  const result = {
    type: 'function_call_output' as const,
    call_id: call[0]?.call_id ?? '',
    output: '21 degrees',
  }
  const second = await client.responses.create({ ...question, input: [...input, ...call, result] })
  expect(second.output_text).toContain('21 degrees')
})

test.each([
  ['think', false, ['reasoning_summary_text', 'output_text']],
  ['Weather in Bern?', true, ['function_call_arguments']],
] as const)(
  'says in Responses, after all parts of it, what it has said (%s)',
  async (input, callsTool, names) => {
    const tool = { type: 'function' as const, name: 'weather', parameters: null, strict: false }
    const stream = await client.responses.create({
      model: ask.model,
      input,
      stream: true,
      ...(callsTool && { tools: [tool] }),
    })
    const parts: Record<string, string> = {}
    const wholes: Record<string, unknown> = {}
    for await (const event of stream) {
      const [, name = '', step] = event.type.split('.')
      // Strict clients, such as OpenAI's for Java, read no text without them.
      if (event.type === 'response.output_text.delta') expect(event.logprobs).toEqual([])
      if (step === 'delta' && 'delta' in event) parts[name] = `${parts[name] ?? ''}${event.delta}`
      if (step === 'done' && 'text' in event) wholes[name] = event.text
      if (step === 'done' && 'arguments' in event) wholes[name] = event.arguments
    }
    expect(Object.keys(parts)).toEqual(names)
    expect(wholes).toEqual(parts)
  },
)

test.each(['messages', 'responses'])('an answer in %s that breaks off has an error', async name => {
  const stream =
    name === 'messages'
      ? anthropic.messages.stream({
          model: ask.model,
          max_tokens: 500,
          messages: [{ role: 'user', content: 'fail midway' }],
        })
      : client.responses.stream({ model: ask.model, input: 'fail midway' })
  let said = ''
  const reading = (async () => {
    for await (const event of stream) {
      said += JSON.stringify(event)
    }
  })()
  if (name === 'messages') await expect(reading).rejects.toThrow('broke off')
  else await reading.catch(() => {})
  expect(said).toContain(name === 'messages' ? 'text_delta' : 'broke off')
})
