import { expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { completeInSandbox } from './complete-in-sandbox'

/** OpenAI's own client in front of the practice models, without a network between them. */
const client = new OpenAI({
  apiKey: 'sk-practice',
  baseURL: 'http://sandbox.test/v1',
  maxRetries: 0,
  fetch: (url, init) => completeInSandbox(new Request(url, init), 0),
})
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

test('calls a tool and gets its result into words', async () => {
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
