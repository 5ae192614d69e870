import { setImmediate } from 'node:timers/promises'
import { describe, expect, jest, test } from '@jest/globals'
import type { SandboxDialect } from '../domain/format-completion'
import { SANDBOX_MESSAGES } from '../domain/messages-dialect'
import { SANDBOX_RESPONSES } from '../domain/responses-dialect'

/** What ends the pauses of paced answers, which last until then. */
const pauseEnds: AbortSignal[] = []
jest.unstable_mockModule('node:timers/promises', () => ({
  setImmediate,
  setTimeout(_ms: number, _value: unknown, { signal }: { signal: AbortSignal }) {
    pauseEnds.push(signal)
    return new Promise(() => {})
  },
}))
const { completeInSandbox } = await import('./complete-in-sandbox')

function ask(body: unknown, dialect?: SandboxDialect, paceMs = 0): Promise<Response> {
  const request = new Request('http://site.test/', { method: 'POST', body: JSON.stringify(body) })
  return completeInSandbox(request, { paceMs, dialect })
}
const question = { model: 'sandbox/penny', messages: [{ role: 'user', content: 'Hello' }] }

function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter(event => event.startsWith('data: {'))
    .map(event => JSON.parse(event.slice('data: '.length)))
}

describe('a malformed request', () => {
  test.each([
    [{ ...question, model: 'gpt-4o' }, 404],
    [{ ...question, messages: [] }, 400],
    [{ ...question, max_tokens: 0 }, 400],
    [{}, 400],
    ['x', 400],
  ])('%j is refused with %s', async (body, status) => {
    await expect(ask(body)).rejects.toMatchObject({ status })
  })
})

test('more than the context length that the list of models names is refused, as hosts do', async () => {
  const messages = [{ role: 'user', content: 'hello '.repeat(33_000) }]
  await expect(ask({ ...question, messages })).rejects.toMatchObject({ code: 'context_length_exceeded' })
  expect((await ask({ ...question, model: 'sandbox/quarter', messages })).status).toBe(200)
})

test('the streamed and the whole answer have the same text and usage', async () => {
  const whole = await (await ask(question)).json()
  const streamed = await ask({ ...question, stream: true, stream_options: { include_usage: true } })
  expect(streamed.headers.get('content-type')).toContain('text/event-stream')
  const text = await streamed.text()
  const events = eventsOf(text)
  const joined = events.map(
    event => (event as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content,
  )
  expect(joined.join('')).toBe(whole.choices[0].message.content)
  expect(events.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('a stream has no usage unless requested', async () => {
  const text = await (await ask({ ...question, stream: true })).text()
  expect(text).not.toContain('"usage"')
})

/** Coding agents send little else, and a report of fewer tokens than were sent is not trusted. */
describe('tools and their calls are counted', () => {
  const { model } = question
  const description = 'Reads a file, from a line to a line. '.repeat(200)
  const tool = { name: 'read', description }
  const call = { id: '1', name: 'read', arguments: JSON.stringify({ path: description }) }
  const made = { id: '1', type: 'function', function: call }
  const user = { role: 'user', content: 'Hello' }
  const block = { type: 'tool_use', id: '1', name: 'read', input: { path: description } }
  test.each<[string, object, object, SandboxDialect | undefined]>([
    [
      'chat completions',
      { messages: [user], tools: [{ type: 'function', function: tool }] },
      { messages: [user, { role: 'assistant', content: null, tool_calls: [made] }] },
      undefined,
    ],
    [
      'messages',
      { messages: [user], tools: [tool], max_tokens: 9 },
      { messages: [user, { role: 'assistant', content: [block] }], max_tokens: 9 },
      SANDBOX_MESSAGES,
    ],
    [
      'responses',
      { input: 'Hello', tools: [{ type: 'function', ...tool }] },
      { input: [user, { type: 'function_call', call_id: '1', ...call }] },
      SANDBOX_RESPONSES,
    ],
  ])('in %s', async (_name, withTools, withCall, dialect) => {
    for (const body of [withTools, withCall]) {
      const { usage } = await (await ask({ model, ...body }, dialect)).json()
      expect(usage.prompt_tokens ?? usage.input_tokens).toBeGreaterThan(description.length / 6)
    }
  })
})

test('an answer that breaks off sends an error in its stream, or a status', async () => {
  const failing = { ...question, messages: [{ role: 'user', content: 'fail midway' }] }
  const text = await (await ask({ ...failing, stream: true })).text()
  expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: 502 } })
  expect((await ask(failing)).status).toBe(502)
})

test('a paced answer waits no longer once its client has left', async () => {
  const { body } = await ask({ ...question, stream: true }, undefined, 25)
  const reader = body?.getReader()
  const first = reader?.read()
  expect(pauseEnds.map(({ aborted }) => aborted)).toEqual([false])
  await reader?.cancel()
  expect(await first).toMatchObject({ done: true })
  expect(pauseEnds.map(({ aborted }) => aborted)).toEqual([true])
})
