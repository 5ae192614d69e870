import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { ChatStream } from './stream'

const chunk = (fields: Record<string, unknown>) =>
  `data: ${JSON.stringify({ id: 'gen-1', object: 'chat.completion.chunk', created: 5, model: 'm', ...fields })}\n\n`
const delta = (content: string, rest: Record<string, unknown> = {}) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest })

/** Pushes pieces through a filter and collects what it lets pass. */
function relay(...pieces: (string | Buffer)[]) {
  const stream = new ChatStream()
  const passed = pieces.map(piece => stream.push(Buffer.from(piece))?.toString() ?? '').join('')
  return { stream, passed: passed + (stream.flush()?.toString() ?? '') }
}

describe('a stream of chat completion events', () => {
  test('passes a plain chunk on byte for byte', () => {
    const stream = new ChatStream()
    stream.push(Buffer.from(delta('first')))
    const bytes = Buffer.from(delta('second', { usage: null, error: null }))
    expect(stream.push(bytes)).toBe(bytes)
  })

  test('removes [DONE] and everything behind it', () => {
    const { stream, passed } = relay(delta('a'), 'data: [DONE]\n\n', delta('b'))
    expect(passed).toBe(delta('a'))
    expect(stream.ended).toBe('done')
  })

  test.each<[string, object]>([
    ['with an error', { error: { code: 502, message: 'Gone' } }],
    ['without one', { finish_reason: 'error' }],
  ])('has failed with its only choice, %s, whose event is held back', (_, told) => {
    const failed = chunk({ choices: [{ index: 0, delta: { content: '' }, ...told }] })
    const { stream, passed } = relay(delta('a'), failed, delta('b'))
    expect(passed).toBe(delta('a'))
    expect(stream.ended).toBe('failed')
  })

  test('has not failed with one of several choices', () => {
    const failed = chunk({ choices: [{ index: 1, delta: { content: '' }, finish_reason: 'error' }] })
    const { stream, passed } = relay(delta('a'), failed, delta('b'))
    expect(passed).toBe(delta('a') + failed + delta('b'))
    expect(stream.ended).toBeNull()
  })

  test('is not ended by [DONE] in the text of an answer', () => {
    const talk = delta('data: [DONE]\n\n is how a stream ends')
    const { stream, passed } = relay(talk, delta('b'))
    expect(passed).toBe(talk + delta('b'))
    expect(stream.ended).toBeNull()
  })

  test('removes a chunk that has nothing but usage', () => {
    const { stream, passed } = relay(delta('a'), chunk({ choices: [], usage: { prompt_tokens: 1 } }))
    expect(passed).toBe(delta('a'))
    expect(stream.usageReports).toEqual([{ prompt_tokens: 1 }])
  })

  test('removes the usage from a chunk that also has a part of the answer', () => {
    const { stream, passed } = relay(delta('a', { usage: { prompt_tokens: 1 } }))
    expect(passed).toBe(delta('a'))
    expect(stream.usageReports).toEqual([{ prompt_tokens: 1 }])
  })

  test.each<[string, object]>([
    [
      'a whole message in Responses, with its sources and probabilities',
      {
        content: [
          {
            type: 'output_text',
            text: 'Hello',
            annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A page' }],
            logprobs: [{ token: 'Hello', top_logprobs: [{ token: 'Hi' }, { token: 'Hey' }] }],
          },
        ],
      },
    ],
    [
      'an answer by way of LiteLLM, which repeats things for its own clients',
      {
        content: 'Hello',
        provider_specific_fields: { thought_signatures: ['c2lnbmF0dXJl'], citations: ['A page.'] },
        tool_calls: [{ index: 0, provider_specific_fields: { thought_signature: 'c2lnbmF0dXJl' } }],
      },
    ],
    ['a source in Messages', { content: 'Hello', citation: { cited_text: 'What the model had read.' } }],
  ])('counts nothing but the words of %s', async (_, said) => {
    const { stream } = relay(chunk({ choices: [{ index: 0, delta: said }] }))
    expect(stream.delivered.characterCount).toBe('Hello'.length)
    expect(await stream.delivered.count()).toMatchObject({ outputTokenCount: 1 })
  })

  test('counts a thought once that LiteLLM sends in two forms', async () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'Hello', signature: 'c2lnbmF0dXJl' }]
    const { stream } = relay(
      chunk({ choices: [{ index: 0, delta: { reasoning_content: 'Hello', thinking_blocks } }] }),
    )
    expect(await stream.delivered.count()).toMatchObject({ outputTokenCount: 1, reasoningTokenCount: 1 })
    expect(stream.delivered.characterCount).toBe(0)
  })

  test('does not mistake the words usage or error in an answer for fields', () => {
    const talk = delta('{"usage":{"prompt_tokens":9},"error":{"message":"no"}}')
    const { stream, passed } = relay(delta('a'), talk)
    expect(passed).toBe(delta('a') + talk)
    expect(stream.usageReports).toEqual([])
    expect(stream.error).toBeNull()
  })

  test('keeps the first and the last of several usage reports', () => {
    const reports = Array.from({ length: 50 }, (_, index) =>
      delta('a', { usage: { completion_tokens: index } }),
    )
    const { stream } = relay(...reports)
    expect(stream.usageReports).toHaveLength(4)
    expect(stream.usageReports.at(0)).toEqual({ completion_tokens: 0 })
    expect(stream.usageReports.at(-1)).toEqual({ completion_tokens: 49 })
  })

  test('takes a report for the last one when all choices are finished, unless more of the answer follows', () => {
    const usage = { completion_tokens: 4 }
    const end = (index: number) => chunk({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })
    const begun = [delta('a'), chunk({ choices: [{ index: 1, delta: { content: 'a' } }] }), delta('b')]
    const stream = new ChatStream()
    const reportsAfter = (...events: string[]) => {
      for (const event of events) stream.push(Buffer.from(event))
      return stream.finalReports
    }
    expect(reportsAfter(...begun, end(0), chunk({ choices: [], usage }))).toEqual([])
    expect(reportsAfter(end(1))).toEqual([usage])
    expect(reportsAfter(delta('c'))).toEqual([])
  })

  test('takes a report for the last one when the connection ends behind it, if there was an answer', () => {
    const told = chunk({ choices: [], usage: { completion_tokens: 4 } })
    expect(relay(delta('a'), told).stream.finalReports).toEqual([{ completion_tokens: 4 }])
    expect(relay(told, delta('a')).stream.finalReports).toEqual([])
    expect(relay(delta(''), told).stream.finalReports).toEqual([])
  })

  test('stops at an error and passes none of it on', () => {
    const { stream, passed } = relay(
      delta('a'),
      `${delta('b')}${chunk({ error: { code: 502 } })}${delta('c')}`,
    )
    expect(passed).toBe(delta('a') + delta('b'))
    expect(stream.error).toEqual({ code: 502 })
  })

  test('takes the exception of a host, which names it as FastAPI does, for an error', () => {
    const { stream, passed } = relay(delta('a'), 'data: {"detail":"No reply from http://10.0.0.1"}\n\n')
    expect(passed).toBe(delta('a'))
    expect(stream.error).toEqual({ detail: 'No reply from http://10.0.0.1' })
  })

  test('passes comments on, and notices a finish_reason', () => {
    const comment = ': OPENROUTER PROCESSING\n\n'
    const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    const { stream, passed } = relay(comment, delta('a'))
    expect(passed).toBe(comment + delta('a'))
    expect(stream.isComplete).toBe(false)
    expect(relay(delta('a'), last).stream.isComplete).toBe(true)
  })

  const finish = (index = 0, rest: Record<string, unknown> = {}) =>
    chunk({ choices: [{ index, delta: {}, finish_reason: 'tool_calls' }], ...rest })
  const nothing = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }

  test.each<[string, string[], string]>([
    ['and drops an empty choice behind it', [chunk({ choices: [nothing], usage: { cost: 1 } })], ''],
    ['with its report taken out', [], ''],
    [
      'and writes it before what comes after it',
      [delta('b'), delta('c')],
      finish() + delta('b') + delta('c'),
    ],
  ])('keeps the event that finishes the answer for the last chunk, %s', (_case, after, passed) => {
    const stream = new ChatStream(null, { keepsFinish: true })
    const last = finish(0, after.length === 0 ? { usage: { cost: 1 } } : {})
    const read = [delta('a'), delta('a'), last, ...after].map(piece => stream.push(Buffer.from(piece)) ?? '')
    expect(read.join('')).toBe(delta('a') + delta('a') + passed)
    const kept = stream.takeFinish()
    expect(kept && chunk(kept)).toBe(passed ? null : finish())
    expect(stream.takeFinish()).toBeNull()
  })

  test('keeps the finish of the last of several choices', () => {
    const stream = new ChatStream(null, { keepsFinish: true })
    const begun = chunk({ choices: [0, 1].map(index => ({ index, delta: { content: 'a' } })) })
    expect(stream.push(Buffer.from(begun + finish(0) + finish(1)))?.toString()).toBe(begun + finish(0))
    expect(stream.takeFinish()).toMatchObject({ choices: [{ index: 1, finish_reason: 'tool_calls' }] })
  })

  test('passes on an event that is not JSON, and an unfinished last event', () => {
    const { passed } = relay('data: not json\n\n', 'data: {"choices":[]}\n')
    expect(passed).toBe('data: not json\n\ndata: {"choices":[]}\n\n\n')
  })

  test('removes events without data', () => {
    const { passed } = relay(delta('a'), 'data:\n\n', 'data: \r\n\r\n', ': ping\n\n', delta('b'))
    expect(passed).toBe(`${delta('a')}: ping\n\n${delta('b')}`)
  })

  test('passes nothing on of an event that was cut off', () => {
    const whole = delta('b')
    for (let end = 1; end < whole.trimEnd().length; end += 1) {
      expect(relay(delta('a'), whole.slice(0, end)).passed).toBe(delta('a'))
    }
    expect(relay(delta('a'), whole.trimEnd()).passed).toBe(delta('a') + whole)
  })

  const counted = async (...deltas: Record<string, unknown>[]) => {
    const { stream } = relay(...deltas.map(one => chunk({ choices: [{ delta: one }] })))
    return { ...(await stream.delivered.count()), hasOutput: stream.delivered.hasOutput }
  }

  test('counts text, refusals, tool arguments and content parts in any order', async () => {
    const { outputTokenCount: words } = await counted({ content: 'one two three four' })
    expect(words).toBeGreaterThan(2)
    const parts = [{ type: 'text', text: 'one two three four' }]
    for (const delta of [
      { refusal: 'one two three four' },
      { content: parts },
      { tool_calls: [{ index: 0, id: 'call_1', function: { arguments: 'one two three four' } }] },
      { something_new: { deep: ['one two three four'] } },
    ]) {
      expect(await counted(delta)).toMatchObject({ outputTokenCount: words, hasOutput: true })
    }
  })

  test('counts at least one token for each event, since another tokenizer may make more of the text', async () => {
    const { stream } = relay(...Array.from({ length: 12 }, () => delta('a')))
    expect(await stream.delivered.count()).toMatchObject({ outputTokenCount: 12 })
  })

  test('counts reasoning once that is sent under two field names', async () => {
    const text = 'Let me think about that.'
    const { reasoningTokenCount: once } = await counted({ reasoning: text })
    expect(once).toBeGreaterThan(0)
    const twice = { reasoning: text, reasoning_content: text, reasoning_details: [{ type: 't', text }] }
    expect(await counted(twice)).toMatchObject({ reasoningTokenCount: once, outputTokenCount: once })
  })

  test('counts pictures and sound', async () => {
    const url = `data:image/png;base64,${'A'.repeat(4_000)}`
    const picture = await counted({ images: [{ type: 'image_url', image_url: { url } }] })
    expect(picture).toMatchObject({ imageOutputTokenCount: 1_290, outputTokenCount: 1_290 })
    const sound = await counted({ audio: { id: 'a', data: 'A'.repeat(64_000), transcript: '' } })
    expect(sound).toMatchObject({ audioOutputTokenCount: 20, hasOutput: true })
  })

  test('counts a role, an empty text or a finish_reason alone as no output', async () => {
    expect(await counted({ role: 'assistant', content: '' }, {}, { content: null })).toMatchObject({
      outputTokenCount: 0,
      hasOutput: false,
    })
  })

  test.each(['\n', '\r\n'])(
    'has the same result wherever the bytes are split, with line ends %j',
    lineEnd => {
      const text = [
        ': hello\n\n',
        delta('Grüße, 世界 🌍'),
        delta('b', { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 2 } }),
        'data: [DONE]\n\n',
      ].join('')
      const bytes = Buffer.from(text.replaceAll('\n', lineEnd))
      const whole = relay(bytes)
      for (let place = 1; place < bytes.length; place += 1) {
        const { stream, passed } = relay(bytes.subarray(0, place), bytes.subarray(place))
        expect(passed).toBe(whole.passed)
        expect(stream.usageReports).toEqual(whole.stream.usageReports)
        expect(stream.delivered.hasOutput).toBe(true)
        expect([stream.ended, stream.isComplete]).toEqual(['done', true])
      }
    },
  )
})

describe('events that differ from the previous one only in their text', () => {
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      '',
      'plain',
      'with "quotes"',
      'back\\slash',
      'grün 你好 👋',
      'data:image/png;base64,AA',
      '\n\n',
    ),
  )
  const deltas = fc.array(
    fc.record({
      field: fc.constantFrom('content', 'reasoning', 'reasoning_content', 'refusal'),
      text: texts,
      index: fc.constantFrom(0, 0, 0, 1),
    }),
    { maxLength: 40 },
  )
  const told = async (stream: ChatStream) => ({
    counts: await stream.delivered.count(),
    characterCount: stream.delivered.characterCount,
    deltaCount: stream.delivered.deltaCount,
    isComplete: stream.isComplete,
    finalReports: stream.finalReports,
    ended: stream.ended,
    head: stream.head,
  })

  test('have the result of parsing each one, wherever the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(deltas, fc.array(fc.nat(400), { maxLength: 20 }), async (given, cuts) => {
        const write = (isUnlike: boolean) =>
          given
            .map(({ field, text, index }, position) => {
              const choices = [{ index, delta: { [field]: text }, finish_reason: null }]
              return chunk({ ...(isUnlike && { position }), choices })
            })
            .join('') + chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } })
        const alike = new ChatStream()
        const bytes = Buffer.from(write(false))
        let passed = ''
        let start = 0
        for (const length of [...cuts, bytes.length]) {
          passed += alike.push(bytes.subarray(start, start + length))?.toString('latin1') ?? ''
          start += length
        }
        const unlike = new ChatStream()
        unlike.push(Buffer.from(write(true)))
        expect(await told(alike)).toEqual(await told(unlike))
        expect(passed).toBe(bytes.toString('latin1', 0, bytes.lastIndexOf('data:')))
      }),
    )
  })

  const learned = delta('one') + delta('two')
  const event = (json: string) => `data: ${json}\n\n`
  const TAIL = '"},"finish_reason":null}]}'
  const HEAD = delta('').slice('data: '.length).split('"}')[0] ?? ''

  test.each([
    [
      'usage',
      `${HEAD}x"},"finish_reason":null}],"usage":{"prompt_tokens":7}}`,
      { usageReports: [{ prompt_tokens: 7 }] },
    ],
    [
      'usage before a tail like the others',
      `${HEAD}x"}}],"usage":{"prompt_tokens":7},"choices":[{"delta":{"content":"${TAIL}`,
      { usageReports: [{ prompt_tokens: 7 }] },
    ],
    ['an error', `${HEAD}x"},"finish_reason":null}],"error":{"code":1}}`, { ended: 'failed' }],
    ['its end', `${HEAD}x"},"finish_reason":"stop"}]}`, { isComplete: true }],
    ['no JSON', `${HEAD}x\u0001${TAIL}`, { isComplete: false }],
  ])('do not hide %s', (_what, json, expected) => {
    const { stream } = relay(learned, event(json))
    expect(stream).toMatchObject(expected)
  })

  test('are counted by the fields that a client reads, not by similar ones', async () => {
    const decoy = (seen: string, shown: string) =>
      event(
        `{"id":"g","x":{"content":"${seen}"},"choices":[{"index":0,"delta":{"conten\\u0074":"${shown}"},"finish_reason":null}]}`,
      )
    const { stream } = relay(
      ...Array.from({ length: 6 }, () => decoy('a', 'a')),
      decoy('a'.repeat(5_000), 'a'),
    )
    expect(stream.delivered.characterCount).toBe(7)
    const twice = (seen: string, shown: string) =>
      event(
        `{"id":"g","choices":[{"index":0,"delta":{"content":"${seen}","content":"${shown}"},"finish_reason":null}]}`,
      )
    const second = relay(...Array.from({ length: 6 }, () => twice('a', 'b')), twice('a', 'b'.repeat(50)))
    expect(second.stream.delivered.characterCount).toBe(6 + 50)
  })
})
