import { describe, expect, test } from '@jest/globals'
import { createEventFilter } from './event-filter'

const chunk = (fields: Record<string, unknown>) =>
  `data: ${JSON.stringify({ id: 'gen-1', object: 'chat.completion.chunk', created: 5, model: 'm', ...fields })}\n\n`
const delta = (content: string, rest: Record<string, unknown> = {}) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest })

/** Pushes pieces through a filter and collects what it lets pass. */
function relay(...pieces: (string | Buffer)[]) {
  const filter = createEventFilter()
  const passed = pieces.map(piece => filter.push(Buffer.from(piece))?.toString() ?? '').join('')
  return { filter, passed: passed + (filter.flush()?.toString() ?? '') }
}

describe('the event filter', () => {
  test('hands on a plain chunk as the very same bytes', () => {
    const filter = createEventFilter()
    filter.push(Buffer.from(delta('first')))
    const bytes = Buffer.from(delta('second', { usage: null, error: null }))
    expect(filter.push(bytes)).toBe(bytes)
  })

  test('takes out [DONE], and everything behind it', () => {
    const { filter, passed } = relay(delta('a'), 'data: [DONE]\n\n', delta('b'))
    expect(passed).toBe(delta('a'))
    expect(filter.done).toBe(true)
  })

  test('is not ended by [DONE] in the text of an answer', () => {
    const talk = delta('data: [DONE]\n\n is how a stream ends')
    const { filter, passed } = relay(talk, delta('b'))
    expect(passed).toBe(talk + delta('b'))
    expect(filter.done).toBe(false)
  })

  test('takes out a chunk that only tells usage', () => {
    const { filter, passed } = relay(delta('a'), chunk({ choices: [], usage: { prompt_tokens: 1 } }))
    expect(passed).toBe(delta('a'))
    expect(filter.usageReports).toEqual([{ prompt_tokens: 1 }])
  })

  test('takes usage out of a chunk that has an answer in it too', () => {
    const { filter, passed } = relay(delta('a', { usage: { prompt_tokens: 1 } }))
    expect(passed).toBe(delta('a'))
    expect(filter.usageReports).toEqual([{ prompt_tokens: 1 }])
  })

  test('is not misled by usage or errors in the text of an answer', () => {
    const talk = delta('{"usage":{"prompt_tokens":9},"error":{"message":"no"}}')
    const { filter, passed } = relay(delta('a'), talk)
    expect(passed).toBe(delta('a') + talk)
    expect(filter.usageReports).toEqual([])
    expect(filter.error).toBeNull()
  })

  test('keeps the first and the last of many usage reports', () => {
    const reports = Array.from({ length: 50 }, (_, index) =>
      delta('a', { usage: { completion_tokens: index } }),
    )
    const { filter } = relay(...reports)
    expect(filter.usageReports).toHaveLength(4)
    expect(filter.usageReports.at(0)).toEqual({ completion_tokens: 0 })
    expect(filter.usageReports.at(-1)).toEqual({ completion_tokens: 49 })
  })

  test('stops at an error and hands nothing of it on', () => {
    const { filter, passed } = relay(
      delta('a'),
      `${delta('b')}${chunk({ error: { code: 502 } })}${delta('c')}`,
    )
    expect(passed).toBe(delta('a') + delta('b'))
    expect(filter.error).toEqual({ code: 502 })
  })

  test('hands comments on, and knows that some choice has ended', () => {
    const comment = ': OPENROUTER PROCESSING\n\n'
    const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    const { filter, passed } = relay(comment, delta('a'))
    expect(passed).toBe(comment + delta('a'))
    expect(filter.finished).toBe(false)
    expect(relay(delta('a'), last).filter.finished).toBe(true)
  })

  test('hands on an event that is no JSON, and one that was never closed', () => {
    const { passed } = relay('data: not json\n\n', 'data: {"choices":[]}\n')
    expect(passed).toBe('data: not json\n\ndata: {"choices":[]}\n\n\n')
  })

  test('counts text, reasoning under either name, and tool arguments', () => {
    const tool = { tool_calls: [{ function: { arguments: 'abcdefgh' } }] }
    const { filter } = relay(
      delta('abcd'),
      chunk({ choices: [{ delta: { reasoning: 'abcd', reasoning_content: 'abcd' } }] }),
      chunk({ choices: [{ delta: tool }] }),
    )
    expect(filter.delivered()).toEqual({ outputTokenCount: 4, reasoningTokenCount: 1, hasOutput: true })
  })

  test.each(['\n', '\r\n'])('says the same wherever the bytes are cut, line ends %j', lineEnd => {
    const stream = [
      ': hello\n\n',
      delta('Grüße, 世界 🌍'),
      delta('b', { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 2 } }),
      'data: [DONE]\n\n',
    ].join('')
    const bytes = Buffer.from(stream.replaceAll('\n', lineEnd))
    const whole = relay(bytes)
    for (let place = 1; place < bytes.length; place += 1) {
      const { filter, passed } = relay(bytes.subarray(0, place), bytes.subarray(place))
      expect(passed).toBe(whole.passed)
      expect(filter.usageReports).toEqual(whole.filter.usageReports)
      expect(filter.delivered()).toEqual(whole.filter.delivered())
      expect([filter.done, filter.finished]).toEqual([true, true])
    }
  })
})
