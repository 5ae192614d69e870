import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { completionRequest } from './completion-request'
import { planCompletion } from './plan-completion'

function plan(content: unknown, fields: Record<string, unknown> = {}) {
  const body = { model: 'sandbox/penny', messages: [{ role: 'user', content }], ...fields }
  return planCompletion(completionRequest.parse(body), body)
}
const textOf = (planned: ReturnType<typeof plan>) => planned.textTokens.join('')

describe('max_tokens', () => {
  test('ends the answer with the reason length, reasoning included', () => {
    const planned = plan('think about code', { max_tokens: 5 })
    expect(planned.finishReason).toBe('length')
    expect(planned.reasoningTokens).toHaveLength(5)
    expect(planned.textTokens).toEqual([])
    expect(planned.usage).toMatchObject({
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 5 },
    })
  })

  test('is never exceeded, and the usage is what was sent', () => {
    const word = fc.constantFrom('table', 'think', 'code', 'hello', 'fail midway', 'list')
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 1, max: 400 }), (words, max) => {
        const planned = plan(words.join(' '), { max_completion_tokens: max })
        const sent = planned.reasoningTokens.length + planned.textTokens.length
        return (
          sent <= max &&
          planned.usage.completion_tokens === sent &&
          planned.usage.total_tokens === planned.usage.prompt_tokens + sent
        )
      }),
    )
  })

  test('that is just enough does not cut the answer', () => {
    const whole = plan('hello')
    const same = plan('hello', { max_tokens: whole.usage.completion_tokens })
    expect(same).toEqual(whole)
    expect(plan('hello', { max_tokens: whole.usage.completion_tokens - 1 }).finishReason).toBe('length')
  })
})

describe('the question selects the answer', () => {
  test.each([
    ['show me code', '```ts'],
    ['a table please', '|:---'],
    ['a list', '1. **'],
    ['some math', '$$'],
    ['all of markdown', '# A heading'],
    ['something long', '## Part 12'],
    ['What are you?', '> What are you?'],
    ['one\ntwo', '> one\n> two'],
  ])('%j is answered with %j', (question, expected) => {
    expect(textOf(plan(question))).toContain(expected)
  })

  test('one that asks for two things is shown both, apart', () => {
    const text = textOf(plan('a table and a formula'))
    expect(text).toMatch(/^What a dollar buys[\s\S]*\n\nCompound interest/)
  })

  test('the failing answer has half of its text and ends in an error', () => {
    const planned = plan('fail midway')
    expect(planned.finishReason).toBe('error')
    expect(planned.textTokens.length).toBeGreaterThan(10)
  })

  test('the most expensive model shows its reasoning before the answer', () => {
    expect(plan('Hi', { model: 'sandbox/dollar' }).reasoningTokens.length).toBeGreaterThan(10)
    expect(plan('Hi').reasoningTokens).toEqual([])
  })

  test('a long question is quoted in part', () => {
    expect(textOf(plan('x'.repeat(50_000))).length).toBeLessThan(3_000)
  })
})

test('pictures and documents are described', () => {
  const png = Buffer.concat([
    Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64'),
    Buffer.from([0, 0, 3, 32, 0, 0, 2, 88]),
    Buffer.alloc(6_000),
  ]).toString('base64')
  const answer = textOf(
    plan([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'file', file: { filename: 'letter.pdf', file_data: 'data:application/pdf;base64,AA' } },
      { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
    ]),
  )
  expect(answer).toContain('You sent me 4 things')
  expect(answer).toContain('a PNG picture of 6 kB, 800 × 600 pixels')
  expect(answer).toContain('a JPEG picture of 1 kB\n')
  expect(answer).toContain('I do not go and fetch it')
  expect(answer).toContain('- letter.pdf')
})

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] }, days: { type: 'integer' } },
  }
  const weather = { type: 'function', function: { name: 'weather', parameters } }
  const time = { type: 'function', function: { name: 'time' } }

  test('are called, the first one, with arguments that fit its schema', () => {
    const planned = plan('Weather?', { tools: [weather, time] })
    expect(planned.finishReason).toBe('tool_calls')
    expect(planned.toolCall).toEqual({ name: 'weather', arguments: '{"city":"example","unit":"C","days":1}' })
  })

  test('are called as tool_choice says, or not at all for none', () => {
    const tools = [weather, time]
    expect(plan('x', { tools, tool_choice: { function: { name: 'time' } } }).toolCall?.name).toBe('time')
    expect(plan('x', { tools, tool_choice: 'none' }).toolCall).toBeNull()
  })

  test('have their results answered in text', () => {
    const messages = [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null },
      { role: 'tool', content: '21 degrees' },
    ]
    expect(textOf(plan('', { messages, tools: [weather] }))).toContain('> 21 degrees')
  })

  test('may have a schema that refers to itself', () => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: 'array', items: schema }
    const deep = { type: 'function', function: { name: 'deep', parameters: schema } }
    expect(plan('x', { tools: [deep] }).toolCall?.arguments).toBe('[[[[[[[[[null]]]]]]]]]')
  })
})

test('a JSON answer fits its schema', () => {
  expect(JSON.parse(textOf(plan('Hi', { response_format: { type: 'json_object' } })))).toEqual({
    model: 'sandbox/penny',
    you_wrote: 'Hi',
  })
  const schema = {
    type: 'object',
    properties: { open: { type: 'boolean' }, tags: { type: 'array', items: {} } },
  }
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
  expect(JSON.parse(textOf(plan('Hi', { response_format: format })))).toEqual({
    open: true,
    tags: ['example'],
  })
})
