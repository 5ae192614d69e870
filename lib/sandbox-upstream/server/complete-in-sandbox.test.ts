import { describe, expect, test } from '@jest/globals'
import { completeInSandbox } from './complete-in-sandbox'

function ask(body: unknown): Promise<Response> {
  const request = new Request('http://site.test/', { method: 'POST', body: JSON.stringify(body) })
  return completeInSandbox(request, { paceMs: 0 })
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

test('the streamed and the whole answer are the same text with the same usage', async () => {
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

test('usage is not told in a stream unless it was asked for', async () => {
  const text = await (await ask({ ...question, stream: true })).text()
  expect(text).not.toContain('"usage"')
})

test('an answer that breaks off sends an error in its stream, or a status', async () => {
  const failing = { ...question, messages: [{ role: 'user', content: 'fail midway' }] }
  const text = await (await ask({ ...failing, stream: true })).text()
  expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: 502 } })
  expect((await ask(failing)).status).toBe(502)
})

test('a reader that leaves ends the answer', async () => {
  const { body } = await ask({ ...question, stream: true })
  const reader = body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(await reader?.closed).toBeUndefined()
})
