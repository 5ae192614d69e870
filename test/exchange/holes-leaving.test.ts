import { beforeEach, describe, expect, test } from '@jest/globals'
import { wave } from '@/test/stand-ins/sounds'
import type { Answer, Step } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost, type Reckoning } from './books'
import { type Caller, type CallOptions, leave, makeResumeKey, readText, readUntil, stop } from './caller'
import { describeSite, HOSTS } from './site'
import { callTool, GATE, LONG_PROMPT, NO_RECORD, say } from './steps'

/** On a busy machine a stop takes its time to arrive, and here it must be there first. */
const LATE_LOOK_COUNT = 600

const QUESTION = {
  model: 'standin/dear',
  messages: [{ role: 'user', content: LONG_PROMPT }],
  max_tokens: 900,
}

/** When the reader leaves, and how much the upstream has done by then. */
const MOMENTS: readonly [string, Answer][] = [
  ['before the first byte', { beforeHeaders: [{ type: 'gate', name: 'mid' }], steps: say(600) }],
  ['before the first word', { steps: [GATE, ...say(600)] }],
  [
    'before the first word, behind a comment',
    { steps: [{ type: 'comment', text: 'WORKING' }, GATE, ...say(600)] },
  ],
  ['after one word', { steps: [...say(1), GATE, ...say(600)] }],
  ['in the middle', { steps: [...say(300), GATE, ...say(300)] }],
  ['before the usage', { steps: [...say(600), GATE] }],
  ['in hidden thought', { steps: [{ type: 'hidden', tokens: 700 }, GATE, ...say(100)] }],
  ['behind hidden thought', { steps: [{ type: 'hidden', tokens: 700 }, ...say(5), GATE, ...say(100)] }],
  ['in a call of a tool', { steps: [...callTool(200), GATE, ...callTool(200)] }],
  ['in content in parts', { steps: [{ type: 'part', text: ' word', times: 300 }, GATE, ...say(10)] }],
  [
    'in sound',
    { steps: [{ type: 'audio', data: 'A'.repeat(3_200), tokens: 1, times: 300 }, GATE, ...say(10)] },
  ],
]

/** The operator neither loses money, nor charges anybody for what was not done for them. */
function expectFair(books: Reckoning): void {
  expectNoCentLost(books, { estimated: ESTIMATED })
  expect(books.chargedNano).toBeGreaterThan(200_000_000n)
  expect(books.chargedNano).toBeLessThanOrEqual((books.billedNano * 12n) / 10n)
}

/**
 * Hidden reasoning is only tested if it was requested: nobody can know of unrequested reasoning that is never shown.
 */
function questionFor(moment: string): Record<string, unknown> {
  return moment.includes('hidden') ? { ...QUESTION, reasoning: { effort: 'high' } } : QUESTION
}

describe.each(HOSTS)('a client that leaves, with a host of the kind %s', host => {
  const imagesPath = host === 'openrouter' ? '/images' : '/images/generations'

  describeSite('from a stream', { host }, site => {
    test.each(MOMENTS)('is charged for what the host did, %s', async (moment, answer) => {
      site.upstream.setScript({ chat: answer })
      const customer = await site.fund(20)
      await leave(
        site,
        signal => customer.chat({ ...questionFor(moment), stream: true }, { signal }),
        '/chat/completions',
      )
      expectFair(await site.books())
    })

    // A host with records is cut at once and asked for its record; without one nobody knows more than we do.
    const recordless = host === 'plain' ? MOMENTS : MOMENTS.filter(([moment]) => moment === 'in the middle')
    test.each(recordless)('is charged as much without a generation record, %s', async (moment, answer) => {
      site.upstream.setScript({ chat: answer, generation: NO_RECORD })
      const customer = await site.fund(20)
      await leave(
        site,
        signal => customer.chat({ ...questionFor(moment), stream: true }, { signal }),
        '/chat/completions',
      )
      expectFair(await site.books())
    })

    test.each<[string, object]>([
      ['minutes', {}],
      ['an hour', { ttl: '1h' }],
    ])('is charged for what was written to a cache for %s', async (_, life) => {
      const content = [{ type: 'text', text: LONG_PROMPT, cache_control: { type: 'ephemeral', ...life } }]
      const question = { ...QUESTION, model: 'standin/keeper', messages: [{ role: 'user', content }] }
      site.upstream.setScript({ chat: { steps: [...say(1), GATE, ...say(60)] }, generation: NO_RECORD })
      const customer = await site.fund(20)
      await leave(
        site,
        signal => customer.chat({ ...question, stream: true }, { signal }),
        '/chat/completions',
      )
      const books = await site.books()
      expect(books.bills[0]?.items[0]).toMatchObject({ what: 'tokens written to the cache' })
      // A router that keeps no record leaves it unknown, and it is the operator's loss.
      expectNoCentLost(books)
      if (host === 'plain') expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('is charged right after each number of words', async () => {
      const customer = await site.fund(20)
      for (let count = 0; count < 12; count += 1) {
        site.upstream.setScript({ chat: { steps: [...say(count), GATE, ...say(12 - count)] } })
        site.upstream.requests.length = 0
        const ask = (signal: AbortSignal) => customer.chat({ stream: true, max_tokens: 50 }, { signal })
        await leave(site, ask, '/chat/completions')
      }
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      expect(books.calls).toHaveLength(12)
    })

    test.each(MOMENTS)('is charged for stopping as for leaving, %s', async (moment, answer) => {
      site.upstream.setScript({ chat: answer })
      const customer = await site.fund(20)
      const call = (headers: Record<string, string>) =>
        customer.chat({ ...questionFor(moment), stream: true }, { headers })
      const stopped = await stop(site, customer, call, { upstream: '/chat/completions' })
      // 202 while its end is awaited.
      expect([200, 202]).toContain(stopped.status)
      expectFair(await site.books())
    })

    const refuses: Answer = {
      beforeHeaders: [{ type: 'gate', name: 'mid' }],
      status: 503,
      body: { error: { code: 503, message: 'Overloaded' } },
    }
    test.each([true, false])('before its host refuses pays for no other host: stream %s', async stream => {
      site.upstream.setScript({ chat: refuses })
      const customer = await site.fund(20)
      await leave(site, signal => customer.chat({ ...QUESTION, stream }, { signal }), '/chat/completions')
      expect(await site.books()).toMatchObject({ chargedNano: 0n, billedNano: 0n, lossNano: 0n })
      expect(site.second.requests.filter(({ method }) => method === 'POST')).toEqual([])
    })

    test('and stops before its host refuses pays for no other host', async () => {
      site.upstream.setScript({ chat: refuses })
      const customer = await site.fund(20)
      const call = (headers: Record<string, string>) =>
        customer.chat({ ...QUESTION, stream: true }, { headers })
      const stopped = await stop(site, customer, call, { upstream: '/chat/completions' }, LATE_LOOK_COUNT)
      expect(await stopped.json()).toMatchObject({ stopped: true, cost: 0 })
      expect(await site.books()).toMatchObject({ chargedNano: 0n, billedNano: 0n, lossNano: 0n })
    })

    test('while a picture is drawn among the words is charged for the picture', async () => {
      const drawing: Step = { type: 'hidden', tokens: 1_290 }
      const picture: Step = { type: 'image', url: 'data:image/png;base64,AAAA', tokens: 0 }
      site.upstream.setScript({ chat: { steps: [...say(5), drawing, GATE, picture, ...say(5)] } })
      const customer = await site.fund(20)
      const question = { ...QUESTION, model: 'standin/illustrator', max_tokens: 2_000, stream: true }
      await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      expect(books.billedNano).toBeGreaterThan(30_000_000n)
    })

    test('with a resume key gets the whole answer and is charged once', async () => {
      site.upstream.setScript({
        chat: { steps: [...say(100), GATE, ...say(100), { type: 'text', text: 'end' }] },
      })
      const customer = await site.fund(20)
      const resumeKey = makeResumeKey()
      const abort = new AbortController()
      const headers = { 'x-resume-key': resumeKey }
      const reply = await customer.chat({ ...QUESTION, stream: true }, { headers, signal: abort.signal })
      await readUntil(reply, ' word')
      await site.upstream.gates.reached('mid')
      abort.abort()
      site.upstream.gates.open('mid')
      expect(await readText(customer.resume(resumeKey))).toContain('end')
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: books.billedNano, calls: [{ status: 'completed' }] })
    })
  })

  describeSite('from a whole answer, causes no loss', { host }, site => {
    test.each<[string, Answer]>([
      ['a chat', { steps: [GATE, ...say(600)] }],
      ['hidden thought', { steps: [{ type: 'hidden', tokens: 700 }, GATE, ...say(100)] }],
      ['a chat before its headers', { beforeHeaders: [{ type: 'gate', name: 'mid' }], steps: say(600) }],
    ])('%s', async (_, answer) => {
      site.upstream.setScript({ chat: answer })
      const customer = await site.fund(20)
      await leave(site, signal => customer.chat(QUESTION, { signal }), '/chat/completions')
      expectNoCentLost(await site.books())
    })

    test.each(['standin/painter', 'standin/gpt-image'])('with a picture of %s', async model => {
      site.upstream.setScript({ images: { beforeHeaders: [{ type: 'gate', name: 'mid' }] } })
      const customer = await site.fund(20)
      await leave(site, signal => customer.draw({ model, n: 2 }, { signal }), imagesPath)
      expectNoCentLost(await site.books())
    })

    test.each<[string, Answer]>([
      ['before its first byte', { beforeHeaders: [{ type: 'gate', name: 'mid' }] }],
      [
        'in its middle',
        { steps: [{ type: 'raw', text: '\xff\xfb' }, GATE, { type: 'raw', text: '\xff\xfb' }] },
      ],
    ])('with speech, %s', async (_, answer) => {
      site.upstream.setScript({ speech: answer })
      const customer = await site.fund(20)
      const input = 'A rather long text that takes its time to be read aloud. '.repeat(60)
      await leave(site, signal => customer.speak({ input }, { signal }), '/audio/speech')
      expectNoCentLost(await site.books())
    })

    test('with a transcription', async () => {
      site.upstream.setScript({ transcriptions: { beforeHeaders: [{ type: 'gate', name: 'mid' }] } })
      const customer = await site.fund(20)
      const recording = new Uint8Array(wave(20).bytes)
      await leave(site, signal => customer.transcribe(recording, {}, { signal }), '/audio/transcriptions')
      expectNoCentLost(await site.books())
    })

    test('with a picture that is stopped while it is drawn', async () => {
      site.upstream.setScript({ images: { beforeHeaders: [{ type: 'gate', name: 'mid' }] } })
      const customer = await site.fund(20)
      await stop(site, customer, headers => customer.draw({ n: 2 }, { headers }), { upstream: imagesPath })
      expectNoCentLost(await site.books())
    })
  })

  describeSite('an answer without reported usage', { host }, site => {
    const answers: [string, object, Step[], number][] = [
      ['content in parts', {}, [{ type: 'part', text: ' word', times: 500 }], ESTIMATED],
      ['reasoning that is shown', {}, Array(300).fill({ type: 'reasoning', text: ' word' }), ESTIMATED],
      ['calls of tools', {}, callTool(300), ESTIMATED],
      // Each host has its own count of tokens for sound.
      ['sound', {}, [{ type: 'audio', data: 'A'.repeat(3_200), tokens: 1, times: 300 }], 0.6],
      ['arguments of earlier calls', { messages: earlierCalls() }, say(5), ESTIMATED],
      ['the shape of the answer', { response_format: schema() }, say(5), ESTIMATED],
      ['sound that was sent', { messages: spoken() }, say(5), 0.7],
      ['tools', { tools: [tool()] }, say(5), ESTIMATED],
    ]
    test.each(answers)('is counted here: %s', async (_, fields, steps, estimated) => {
      site.upstream.setScript({ chat: { steps, usage: { mode: 'absent' } }, generation: NO_RECORD })
      const customer = await site.fund(50)
      const body = { ...QUESTION, messages: [{ role: 'user', content: 'Hi' }], ...fields, stream: true }
      expect(await readText(customer.chat(body))).toContain('data:')
      expectNoCentLost(await site.books(), { estimated })
    })
  })
})

describeSite('whoever leaves an answer of a host that is no router', { host: 'plain' }, site => {
  test('is charged for what the host read where it wrote out references', async () => {
    // Each refers to the next one twice: eight times doubled.
    const definitions = Array.from({ length: 8 }, (_, index) => {
      const next = { $ref: `#/$defs/level${index + 1}` }
      return [`level${index}`, { type: 'object', properties: { left: next, right: next } }] as const
    })
    const $defs = { ...Object.fromEntries(definitions), level8: { type: 'string' } }
    const parameters = { $defs, $ref: '#/$defs/level0' }
    const tools = [{ type: 'function', function: { name: 'note', parameters } }]
    const steps: Step[] = [...say(1), GATE, ...say(60)]
    site.upstream.setScript({ chat: { steps, promptTokens: 6_000 }, generation: NO_RECORD })
    const customer = await site.fund(20)
    const question = { ...QUESTION, messages: [{ role: 'user', content: 'Hi' }], tools, stream: true }
    await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
    const { chargedNano } = await site.books()
    expect(chargedNano).toBe(6_000n * 150_000n + 61n * 600_000n)
  })
})

describeSite('a router’s host that begins an answer without counts', { host: 'openrouter' }, site => {
  test('leaves no unknown loss of what was written to a cache, in Messages', async () => {
    const content = [{ type: 'text', text: LONG_PROMPT, cache_control: { type: 'ephemeral' } }]
    const question = { ...QUESTION, model: 'standin/keeper', messages: [{ role: 'user', content }] }
    const steps: Step[] = [...say(1), GATE, ...say(60)]
    site.upstream.setScript({ chat: { steps, promptTokens: 0 }, generation: NO_RECORD })
    const customer = await site.fund(20)
    const ask = (signal: AbortSignal) =>
      customer.post('/v1/messages', { ...question, stream: true }, { signal })
    await leave(site, ask, '/messages')
    expectNoCentLost(await site.books())
  })
})

describeSite('a router’s host that cannot be cut', { host: 'openrouter' }, site => {
  const ways: [string, (customer: Caller, options: CallOptions) => Promise<Response>, string][] = [
    ['a chat', (customer, options) => customer.chat(STREAMED, options), '/chat/completions'],
    ['messages', (customer, options) => customer.post('/v1/messages', STREAMED, options), '/messages'],
  ]
  const STREAMED = { ...QUESTION, stream: true }
  // It is recorded only once all of it has been written.
  const writingOn = (provider: string, last: Step[]) =>
    site.upstream.setScript({
      chat: { steps: [...say(50), ...last], provider, bills: 'whole' },
      generation: NO_RECORD,
    })

  test.each(
    ways.flatMap(way =>
      ['Google', 'Google AI Studio', 'Amazon Bedrock', 'Groq', 'Mistral'].map(
        host => [...way, host] as const,
      ),
    ),
  )('and all that it bills is charged to whoever leaves: %s', async (_, call, path, provider) => {
    writingOn(provider, [GATE, ...say(800)])
    const customer = await site.fund(20)
    await leave(site, signal => call(customer, { signal }), path)
    const books = await site.books()
    expectNoCentLost(books)
    expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
  })

  test('is known by the maker of its model where its answer does not name it, as in Responses', async () => {
    const steps = [...say(50), GATE, ...say(800)]
    site.upstream.setScript({
      chat: { steps, reportedModel: 'google/gemini-flash', bills: 'whole' },
      generation: NO_RECORD,
    })
    const customer = await site.fund(20)
    const asked = { model: QUESTION.model, input: LONG_PROMPT, max_output_tokens: 900, stream: true }
    await leave(site, signal => customer.post('/v1/responses', asked, { signal }), '/responses')
    const books = await site.books()
    expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
  })

  test.each(ways)('and all that it bills is charged to whoever stops it: %s', async (_, call, upstream) => {
    writingOn('Google', [GATE, ...say(800)])
    const customer = await site.fund(20)
    await stop(site, customer, headers => call(customer, { headers }), { upstream })
    const books = await site.books()
    expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
  })

  test('leaves no loss unknown if the connection to it breaks', async () => {
    writingOn('Google', [{ type: 'destroy' }, ...say(800)])
    const customer = await site.fund(20)
    await readText(customer.chat(STREAMED))
    expectNoCentLost(await site.books())
  })

  test('has stopped if it tells of its own failure, so that nothing more is booked as lost', async () => {
    const failing: Step = { type: 'error', error: { message: 'Overloaded', code: 502 } }
    site.upstream.setScript({
      chat: { steps: [...say(50), failing], provider: 'Google' },
      generation: NO_RECORD,
    })
    const customer = await site.fund(20)
    await readText(customer.chat(STREAMED))
    const books = await site.books()
    expectNoCentLost(books)
    expect(books.lossNano).toBeLessThan(books.chargedNano)
  })

  test.each(['OpenAI', 'Anthropic', 'Together'])('is none that stops when it is left: %s', async provider => {
    site.upstream.setScript({ chat: { steps: [...say(50), GATE, ...say(800)], provider } })
    const customer = await site.fund(20)
    await leave(site, signal => customer.chat(STREAMED, { signal }), '/chat/completions')
    const books = await site.books()
    expectNoCentLost(books)
    expect(books.bills).toMatchObject([{ items: [{}, { what: 'output tokens', count: 50 }] }])
  })
})

describe.each([
  'generativelanguage.googleapis.com',
  'bedrock-runtime.eu-central-1.amazonaws.com',
  'api.groq.com',
])('%s, which cannot be cut,', hostName => {
  describeSite('is read to its end', { host: 'plain', hostName }, site => {
    const ask = (customer: Caller, options: CallOptions) =>
      customer.chat({ ...QUESTION, stream: true }, options)
    beforeEach(() =>
      site.upstream.setScript({ chat: { steps: [...say(50), GATE, ...say(800)], bills: 'whole' } }),
    )

    test('and all that it bills is charged to whoever leaves', async () => {
      const customer = await site.fund(20)
      await leave(site, signal => ask(customer, { signal }), '/chat/completions')
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('and all that it bills is charged to whoever stops it', async () => {
      const customer = await site.fund(20)
      await stop(site, customer, headers => ask(customer, { headers }), { upstream: '/chat/completions' })
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })
  })
})

function earlierCalls(): object[] {
  const text = JSON.stringify({ text: LONG_PROMPT })
  const call = { id: 'call_1', type: 'function', function: { name: 'note', arguments: text } }
  return [
    { role: 'user', content: 'Note this.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Noted.' },
  ]
}

function tool(): object {
  return { type: 'function', function: { name: 'note', description: LONG_PROMPT, parameters: {} } }
}

function schema(): object {
  const described = { type: 'object', description: LONG_PROMPT }
  return { type: 'json_schema', json_schema: { name: 'note', schema: described } }
}

/** A minute of it, as a plain WAV. */
function spoken(): object[] {
  const data = Buffer.from(wave(60).bytes).toString('base64')
  return [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }]
}
