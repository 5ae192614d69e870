import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isMessage } from '@/lib/local/conversations/is-conversation'
import { EMPTY_ANSWER } from './answer'
import { parseStreamEvent, reduceAnswer, type StreamEvent } from './read-answer'

function chunk(delta: object, rest: object = {}) {
  return JSON.stringify({ choices: [{ index: 0, delta, ...rest }] })
}

function read(lines: readonly string[]) {
  return lines.reduce((answer, line, index) => {
    const event = parseStreamEvent(line)
    return event ? reduceAnswer(answer, event, index) : answer
  }, EMPTY_ANSWER)
}

describe('a stream event', () => {
  test.each(['', '{', '[]', 'null', '"text"', '42', '{}', '{"choices":"none"}', '{"choices":[null]}'])(
    'that is %j is skipped',
    line => {
      expect(parseStreamEvent(line)).toBeNull()
    },
  )

  test.each([{ content: 7 }, { content: null, images: [{ image_url: 3 }] }, { images: [null, 'x'] }])(
    'with wrong types inside yields no text: %j',
    delta => {
      expect(parseStreamEvent(chunk(delta))).toMatchObject({ type: 'chunk', text: '', imageUrls: [] })
    },
  )

  test('a usage block without a cost is no receipt', () => {
    const event = parseStreamEvent('{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}')
    expect(event).toMatchObject({ type: 'chunk', receipt: null })
  })

  test('a tiny cost keeps plain notation', () => {
    const event = parseStreamEvent(
      '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":4.2e-7,"balance_usd":0.99}}',
    )
    expect(event).toMatchObject({
      receipt: { cost_usd: '0.00000042', input_token_count: 3, output_token_count: 4, estimated: false },
      balanceUsd: '0.99',
    })
  })

  test('an error carries its code and both amounts', () => {
    const event = parseStreamEvent(
      '{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_credit","param":null,"required_usd":0.5,"available_usd":"0.1"}}',
    )
    expect(event).toEqual({
      type: 'error',
      error: { code: 'insufficient_credit', message: 'm', requiredUsd: '0.5', availableUsd: '0.1' },
    })
  })
})

describe('sources and tool calls', () => {
  test('sources are read in all forms that hosts use, each address once', () => {
    const note = (url: string, title?: string) => ({ type: 'url_citation', url_citation: { url, title } })
    const { citations } = read([
      JSON.stringify({ choices: [{ delta: { content: 'a' } }], citations: ['https://a.example', 7, ''] }),
      chunk({ annotations: [note('https://a.example', ' A '), note('https://b.example'), null, { url: 3 }] }),
      JSON.stringify({
        choices: [{ delta: {} }],
        search_results: [{ url: 'https://c.example', title: 'C' }],
      }),
      chunk({}, { message: { annotations: [note('https://b.example', 'B')] } }),
    ])
    expect(citations.map(({ url_citation }) => url_citation)).toEqual([
      { url: 'https://a.example', title: 'A' },
      { url: 'https://b.example', title: 'B' },
      { url: 'https://c.example', title: 'C' },
    ])
  })

  test('a tool call is assembled from its pieces, within limits', () => {
    const piece = (index: unknown, name: string, given: string) =>
      chunk({ tool_calls: [{ index, function: { name, arguments: given } }] })
    const { toolCalls } = read([
      piece(0, 'search', ''),
      piece(0, '', '{"q":'),
      piece(1, 'run', '{}'),
      piece(0, '', '"x"}'),
      piece(-1, 'no', ''),
      chunk({ tool_calls: [null, { function: 7 }] }),
    ])
    expect(toolCalls.map(call => call.function)).toEqual([
      { name: 'search', arguments: '{"q":"x"}' },
      { name: 'run', arguments: '{}' },
    ])
    const flood = Array.from({ length: 60 }, (_, index) =>
      JSON.stringify({
        citations: Array.from({ length: 9 }, (_, place) => `https://${index}-${place}.example`),
        choices: [
          { delta: { tool_calls: [{ index, function: { name: 'x', arguments: 'y'.repeat(9_000) } }] } },
        ],
      }),
    )
    const flooded = read([...flood, ...flood])
    expect(flooded.citations).toHaveLength(50)
    expect(JSON.stringify(flooded.toolCalls).length).toBeLessThan(32 * 8_200)
    const isStored = ({ citations: annotations, toolCalls: tool_calls }: typeof flooded) =>
      isMessage({ role: 'assistant', content: '', annotations, tool_calls })
    const tooMuch = [...flooded.toolCalls, ...toolCalls]
    expect([flooded, { ...flooded, toolCalls: tooMuch }].map(isStored)).toEqual([true, false])
  })
})

describe('the answer', () => {
  test('keeps the first pictures of more than any model draws', () => {
    const urls = Array.from({ length: 20 }, (_, index) => `data:image/png;base64,${index}`)
    const drawn = (url: string) => chunk({ images: [{ image_url: { url } }] })
    expect(read(urls.map(drawn)).imageUrls).toEqual(urls.slice(0, 16))
  })

  test('is not changed by anything after its end', () => {
    const ended = read([chunk({ content: 'a' }), '[DONE]'])
    expect(read([chunk({ content: 'a' }), '[DONE]', chunk({ content: 'b' })])).toEqual(ended)
  })

  test('is ended by an error, and keeps its text', () => {
    const answer = read([chunk({ content: 'half' }), '{"error":{"message":"x","code":"upstream_error"}}'])
    expect(answer).toMatchObject({ text: 'half', ended: true, error: { code: 'upstream_error' } })
  })

  test('is the same, whatever pieces its text arrives in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 20 })),
        fc.string({ maxLength: 9 }),
        (pieces, reasoning) => {
          const usage = '{"choices":[],"usage":{"cost":0.001}}'
          const cut = [
            ...Array.from(reasoning, letter => chunk({ reasoning: letter })),
            ...pieces.map(content => chunk({ content })),
            chunk({}, { finish_reason: 'stop' }),
            usage,
            '[DONE]',
          ]
          const whole = [
            chunk({ content: pieces.join(''), reasoning }, { finish_reason: 'stop' }),
            usage,
            '[DONE]',
          ]
          expect({ ...read(cut), lastEventId: 0 }).toEqual({ ...read(whole), lastEventId: 0 })
        },
      ),
    )
  })

  test('is the same after resuming from any earlier event, any number of times', () => {
    const events = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(events, fc.array(fc.nat({ max: 19 })), (texts, resumes) => {
        const parsed = texts.map(text => parseStreamEvent(chunk({ content: text })))
        const feed = (from: number, to: number, answer = EMPTY_ANSWER) =>
          parsed
            .slice(from, to)
            .reduce<typeof answer>(
              (state, event: StreamEvent | null, index) =>
                event ? reduceAnswer(state, event, from + index) : state,
              answer,
            )
        const interrupted = resumes.reduce((answer, point) => {
          const from = Math.min(point, answer.lastEventId + 1)
          return feed(from, Math.min(parsed.length, from + 3), answer)
        }, EMPTY_ANSWER)
        expect(feed(0, parsed.length, interrupted)).toEqual(feed(0, parsed.length))
      }),
    )
  })
})
