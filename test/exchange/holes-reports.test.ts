import { describe, expect, test } from '@jest/globals'
import { wave } from '@/test/stand-ins/sounds'
import { standInModel } from '@/test/stand-ins/upstream-models'
import { countPrompt } from '@/test/stand-ins/upstream-prompt'
import type { Answer, RouteName, Step } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost, outwait } from './books'
import { type Caller, leave, readText } from './caller'
import { BILLED_MODELS } from './models'
import { type BilledSite, describeSite, HOSTS } from './site'
import { GATE, LONG_PROMPT, NO_RECORD, say } from './steps'

const QUESTION = {
  model: 'standin/dear',
  messages: [{ role: 'user', content: LONG_PROMPT }],
  max_tokens: 900,
  stream: true,
}
const THINKING = { reasoning: { effort: 'high' } }
const HIDDEN: Step = { type: 'hidden', tokens: 700 }
const ERROR: Step = { type: 'error', error: { code: 502, message: 'Gone' } }
const SEARCH: Step = { type: 'search' }

const tell = (usage: object): Step => ({
  type: 'event',
  data: { object: 'chat.completion.chunk', choices: [], usage },
})
const counts = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
})

const heard = (audio_tokens: number | undefined) => ({
  prompt_tokens_details: { cached_tokens: 0, audio_tokens },
})

/** Plain sound of this length. */
function spoken(seconds: number): object {
  const data = Buffer.from(wave(seconds).bytes).toString('base64')
  return { type: 'input_audio', input_audio: { data, format: 'wav' } }
}

describe.each(HOSTS)('the usage that an upstream of the kind %s reports', host => {
  describeSite('of a whole answer', { host }, site => {
    test.each<[string, object, Answer]>([
      ['hidden thought, and then silence', THINKING, { steps: [HIDDEN, { type: 'hang' }] }],
      ['hidden thought, and then a cut', THINKING, { steps: [HIDDEN, { type: 'destroy' }] }],
      [
        'more than was asked for, and nothing of it',
        { max_tokens: 10 },
        { ignoresMaxTokens: true, usage: { mode: 'absent' }, steps: say(4_000) },
      ],
      [
        'more than was asked for, honestly',
        { max_tokens: 10 },
        { ignoresMaxTokens: true, steps: say(4_000) },
      ],
      [
        'usage and an error in one event',
        THINKING,
        {
          steps: [
            ...say(5),
            HIDDEN,
            {
              type: 'event',
              data: { error: { code: 502, message: 'Gone' }, usage: counts(2_044, 705) },
            },
            { type: 'destroy' },
          ],
        },
      ],
      ['usage, and then an error', THINKING, { steps: [HIDDEN, tell(counts(2_165, 700)), ERROR] }],
      [
        'usage, and then an error, behind a comment',
        THINKING,
        { steps: [{ type: 'comment', text: 'WORKING' }, HIDDEN, tell(counts(2_165, 700)), ERROR] },
      ],
      [
        'a cost, and then an error',
        THINKING,
        { steps: [HIDDEN, tell({ ...counts(2_165, 700), cost: 0.744_75 }), ERROR] },
      ],
      ['zeros', {}, { steps: [], usage: { mode: 'value', value: counts(0, 0) } }],
      [
        'its usage before the first word alone',
        {},
        { usage: { mode: 'absent' }, steps: [tell(counts(2_044, 1)), ...say(600)] },
      ],
      [
        'its usage before the last words alone',
        {},
        { usage: { mode: 'absent' }, steps: [...say(300), tell(counts(2_044, 300)), ...say(600)] },
      ],
      [
        'a smaller count behind the true one',
        {},
        { usage: { mode: 'values', values: [counts(2_044, 600), counts(1, 1)] }, steps: say(600) },
      ],
      ['a status that is well, and not 200', {}, { status: 202, steps: say(100) }],
      [
        'the fee for a key of the operator’s own, without its host’s bill',
        {},
        {
          steps: say(600),
          usage: { mode: 'value', value: { ...counts(2_044, 600), cost: 0.0001, is_byok: true } },
        },
      ],
    ])('causes no unknown loss: %s', async (_, fields, answer) => {
      site.upstream.setScript({ chat: answer, generation: host === 'plain' ? NO_RECORD : {} })
      site.second.setScript({ chat: { steps: say(5) } })
      const customer = await site.fund(100)
      await outwait(site.database, readText(customer.chat({ ...QUESTION, ...fields })))
      expectNoCentLost(await site.books(), { estimated: ESTIMATED })
    })

    test.each<[string, object]>([
      // https://docs.x.ai/docs/key-information/consumption-and-rate-limits
      [
        'as xAI does',
        { ...counts(2_165, 50), total_tokens: 2_915, completion_tokens_details: { reasoning_tokens: 700 } },
      ],
      [
        'in its details alone',
        { ...counts(2_165, 50), completion_tokens_details: { reasoning_tokens: 700 } },
      ],
      ['as Google does', { ...counts(2_165, 50), total_tokens: 2_915 }],
    ])('is charged with the thought that it counts beside the words, %s', async (_, value) => {
      const usage = { mode: 'value', value } as const
      site.upstream.setScript({ chat: { steps: [HIDDEN, ...say(50)], usage }, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat({ ...QUESTION, ...THINKING }))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('is believed at the end of a stream that says neither why nor that it ends', async () => {
      // More tokens by our count than by the host's.
      const steps: Step[] = [{ type: 'text', text: ' longwinded', times: 50 }]
      const chat: Answer = { steps, finishReason: null, withoutDone: true }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('is believed beside a signature that is longer than the answer, as Google sends it with a call', async () => {
      const signature = { google: { thought_signature: 'c2lnbmF0dXJl'.repeat(300) } }
      const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'note', arguments: '{}' } }
      const delta = { tool_calls: [{ ...call, extra_content: signature }] }
      const data = { choices: [{ index: 0, delta }] }
      site.upstream.setScript({ chat: { steps: [{ type: 'event', data }, ...say(5)] } })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      const { data: queries } = await (await customer.send('GET', '/queries/history')).json()
      expect(queries).toEqual([expect.objectContaining({ output_count: 5 })])
    })

    test('is charged with such thought even if as much came from the cache', async () => {
      const value = {
        ...counts(2_165, 50),
        total_tokens: 2_915,
        prompt_tokens_details: { cached_tokens: 700 },
        completion_tokens_details: { reasoning_tokens: 700 },
      }
      const chat: Answer = {
        steps: [HIDDEN, ...say(50)],
        usage: { mode: 'value', value },
        cachedTokens: 700,
      }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat({ ...QUESTION, ...THINKING, model: 'standin/cacher' }))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test.each(['standin/sonar', 'standin/searcher'])(
      'with more searches than %s may make is charged up to what is possible, and the rest is a recorded loss',
      async model => {
        site.upstream.setScript({
          chat: { steps: [SEARCH, SEARCH, SEARCH, ...say(5)], costUsd: undefined },
          generation: NO_RECORD,
        })
        const customer = await site.fund(100)
        await readText(customer.chat({ model, stream: true }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.lossNano).toBeGreaterThan(0n)
        expect(books.alarms).toContainEqual(expect.stringContaining('impossible for this request'))
      },
    )

    test.each<[string, object]>([
      ['sound that was not sent', { prompt_tokens_details: { audio_tokens: 2_000 } }],
      ['pictures that were not sent', { prompt_tokens_details: { image_tokens: 2_000 } }],
      ['sound that was not spoken', { completion_tokens_details: { audio_tokens: 50 } }],
      ['pictures that were not drawn', { completion_tokens_details: { image_tokens: 50 } }],
    ])('with %s is charged as words, and the rest is a recorded loss', async (_, details) => {
      const usage = { mode: 'value', value: { ...counts(2_165, 50), ...details } } as const
      site.upstream.setScript({ chat: { steps: say(50), usage }, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat({ ...QUESTION, model: 'standin/writer' }))
      const books = await site.books()
      const isInput = 'prompt_tokens_details' in details
      expect(books).toMatchObject({
        chargedNano: 2_265_000n,
        lossNano: isInput ? 18_000_000n : 900_000n,
        alarms: [
          expect.stringContaining('impossible for this request'),
          expect.stringContaining('operator loss'),
        ],
      })
    })

    const words = 'What is said here? '.repeat(20)
    const listening = {
      ...QUESTION,
      model: 'standin/writer',
      messages: [{ role: 'user', content: [{ type: 'text', text: words }, spoken(60)] }],
    }
    const read = countPrompt(listening)
    const textTokenCount = read.tokenCount - read.soundTokenCount
    const total_tokens = read.tokenCount + 50
    test.each<[string, object, number]>([
      ['as usual', { ...counts(read.tokenCount, 50), ...heard(read.soundTokenCount) }, 1],
      ['not at all', counts(read.tokenCount, 50), 1.26],
      ['not, but cached tokens', { ...counts(read.tokenCount, 50), ...heard(undefined) }, 1.26],
      [
        'beside the input, as by Mistral',
        { ...counts(textTokenCount, 50), total_tokens, ...heard(read.soundTokenCount) },
        1,
      ],
      [
        'in seconds, as by Mistral',
        { ...counts(textTokenCount, 50), total_tokens, prompt_audio_seconds: 60 },
        1,
      ],
    ])('that tells of sound %s is charged for it as sound', async (_, value, factorMax) => {
      site.upstream.setScript({
        chat: { steps: say(50), usage: { mode: 'value', value } },
        generation: NO_RECORD,
      })
      const customer = await site.fund(100)
      await readText(customer.chat(listening))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
      expect(Number(books.chargedNano)).toBeLessThanOrEqual(Number(books.billedNano) * factorMax)
    })

    test('with a picture that came unasked is believed', async () => {
      const picture: Step = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }
      const value = { ...counts(2_165, 90), completion_tokens_details: { image_tokens: 40 } }
      const chat: Answer = { steps: [picture, ...say(50)], usage: { mode: 'value', value } }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat({ ...QUESTION, model: 'standin/writer' }))
      expect(await site.books()).toMatchObject({ chargedNano: 3_065_000n, lossNano: 0n, alarms: [] })
    })

    test('is believed where what came from the cache is counted beside the input', async () => {
      const details = { prompt_tokens_details: { cached_tokens: 2_000 } }
      const value = { ...counts(165, 50), total_tokens: 2_215, ...details }
      const chat: Answer = { steps: say(50), usage: { mode: 'value', value }, cachedTokens: 2_000 }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat({ ...QUESTION, model: 'standin/cacher' }))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('is believed where it is part of the last choice, as Moonshot writes it', async () => {
      const usage = { ...counts(2_165, 50), cost: 0, prompt_tokens_details: { cached_tokens: 2_000 } }
      const data = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }
      const steps: Step[] = [...say(50), { type: 'event', data }]
      const chat: Answer = { steps, usage: { mode: 'absent' }, cachedTokens: 2_000 }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      const text = await readText(customer.chat({ ...QUESTION, model: 'standin/cacher' }))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      // The operator's cost is nobody else's business.
      expect(text).not.toContain('"cost":0,')
    })

    test.each<[string, object]>([
      [
        'of a file',
        { type: 'file', file: { name: 'a.pdf', content: [{ type: 'text', text: LONG_PROMPT }] } },
      ],
      [
        'of a page',
        { type: 'url_citation', url_citation: { url: 'https://a.example', content: LONG_PROMPT } },
      ],
    ])('is believed, and charged, beside the text %s that the model had read', async (_, annotation) => {
      const annotations = [annotation]
      const data = { choices: [{ index: 0, delta: { role: 'assistant', content: '', annotations } }] }
      site.upstream.setScript({ chat: { steps: [{ type: 'event', data }, ...say(50)] } })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      const { data: queries } = await (await customer.send('GET', '/queries/history')).json()
      expect(queries).toEqual([expect.objectContaining({ output_count: 50 })])
    })

    test('with an error, without streaming, is recorded as a loss and not charged', async () => {
      const usage = { ...counts(2_165, 700), cost: 0.7 }
      site.upstream.setScript({ chat: { body: { id: 'g', error: { code: 502, message: 'Gone' }, usage } } })
      const customer = await site.fund(100)
      const reply = await customer.chat({ ...QUESTION, stream: false })
      expect(reply.status).toBe(502)
      expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 700_000_000n })
      expect(site.second.requests.filter(({ method }) => method === 'POST')).toEqual([])
    })

    test.each<[string, object]>([
      ['the error of its choice', { error: { code: 502, message: 'Gone' } }],
      ['a choice that failed', {}],
    ])('with %s and no word, without streaming, is recorded as a loss and not charged', async (_, told) => {
      const message = { role: 'assistant', content: '' }
      const choices = [{ index: 0, message, finish_reason: 'error', ...told }]
      const usage = { ...counts(2_165, 0), cost: 0.3 }
      site.upstream.setScript({ chat: { body: { id: 'g', model: QUESTION.model, choices, usage } } })
      const customer = await site.fund(100)
      const reply = await customer.chat({ ...QUESTION, stream: false })
      expect(reply.status).toBe(502)
      expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 300_000_000n })
    })

    test('above the possible tokens of a picture is charged up to the hold, and the rest is a recorded loss', async () => {
      const usage = { input_tokens: 1_000, output_tokens: 1_000_000 }
      const body = { created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }], usage }
      site.upstream.setScript({ images: { body } })
      const customer = await site.fund(100)
      const asked = { model: 'standin/gpt-image', size: '1024x1024', quality: 'low' }
      expect((await customer.draw(asked)).status).toBe(200)
      const { chargedNano, lossNano, calls } = await site.books()
      expect(chargedNano).toBeLessThanOrEqual(calls[0]?.heldNano ?? 0n)
      expect(lossNano).toBe(40_005_000_000n - chargedNano)
    })

    test('of tokens, for pictures that are priced by the piece, says nothing of those that did not arrive', async () => {
      const usage = { input_tokens: 10, output_tokens: 4_000 }
      const body = { created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }, { error: 'Gone' }], usage }
      site.upstream.setScript({ images: { body } })
      const customer = await site.fund(100)
      expect((await customer.draw({ n: 2 })).status).toBe(200)
      expect(await site.books()).toMatchObject({ chargedNano: 40_000_000n, lossNano: 40_000_000n })
    })

    test('with a failed picture is recorded as a loss and not charged', async () => {
      const body = { error: { code: 502, message: 'Gone' }, usage: { cost: 0.03 } }
      site.upstream.setScript({ images: { body } })
      const customer = await site.fund(100)
      expect((await customer.draw()).status).toBe(502)
      expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 30_000_000n })
      expect(site.second.requests.filter(({ method }) => method === 'POST')).toEqual([])
    })

    test.each<[string, RouteName, object, (customer: Caller) => Promise<Response>]>([
      ['picture', 'images', { data: [] }, customer => customer.draw()],
      ['vector', 'embeddings', { data: [] }, customer => customer.embed()],
      ['transcript', 'transcriptions', {}, customer => customer.transcribe(wave(5).bytes)],
    ])('without any %s is recorded as a loss and not charged', async (_, route, answer, call) => {
      const body = { ...answer, usage: { prompt_tokens: 4, input_tokens: 4, output_tokens: 9, cost: 0.7 } }
      site.upstream.setScript({ [route]: { body } })
      const customer = await site.fund(100)
      expect((await call(customer)).status).toBe(502)
      expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 700_000_000n })
      expect(site.second.requests.filter(({ method }) => method === 'POST')).toEqual([])
    })
  })

  describeSite('beside the record that it may keep', { host }, site => {
    const recordCount = () =>
      site.upstream.requests.filter(({ path }) => path.startsWith('/generation')).length

    test.each<[string, Answer]>([
      ['counts without a cost', { usage: { mode: 'value', value: counts(2_044, 50) }, steps: say(50) }],
      ['an error after some words', { usage: { mode: 'absent' }, steps: [...say(50), ERROR] }],
    ])('decides only if there is no record: %s', async (_, answer) => {
      site.upstream.setScript({ chat: answer })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      const isRecorded = books.calls.map(({ costBasis }) => costBasis === 'upstream_record')
      expect(isRecorded).toEqual([host === 'openrouter'])
    })

    test('is not looked for where an error came before any word', async () => {
      const steps: Step[] = [{ type: 'comment', text: 'WORKING' }, ERROR]
      site.upstream.setScript({ chat: { steps } })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 0n, billedNano: 0n })
      expect(recordCount()).toBe(0)
    })

    test('is looked for more than once only where one is kept', async () => {
      const chat: Answer = { usage: { mode: 'absent' }, steps: say(50) }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(100)
      await readText(customer.chat(QUESTION))
      await site.books()
      expect(recordCount() > 1).toBe(host === 'openrouter')
    })
  })

  describeSite('of an answer whose client leaves', { host }, site => {
    test.each<[string, object, Answer]>([
      ['a count of its first words', {}, { steps: [tell(counts(2_044, 1)), ...say(600), GATE, ...say(1)] }],
      ['zeros at first', {}, { steps: [tell(counts(0, 0)), GATE, ...say(600)] }],
      [
        'a running count, and hidden thought',
        THINKING,
        { usage: { mode: 'cumulative' }, steps: [...say(1), HIDDEN, GATE, ...say(5)] },
      ],
      [
        'one line of its thoughts',
        THINKING,
        { steps: [{ type: 'reasoning', text: 'Hm' }, HIDDEN, ...say(1), GATE, ...say(5)] },
      ],
      [
        'thoughts that were asked for and forbidden',
        { reasoning: { effort: 'none', max_tokens: 700 } },
        { steps: [HIDDEN, ...say(1), GATE, ...say(5)] },
      ],
    ])('causes no unknown loss: %s', async (_, fields, answer) => {
      site.upstream.setScript({ chat: answer, generation: host === 'plain' ? NO_RECORD : {} })
      const customer = await site.fund(100)
      const ask = (signal: AbortSignal) => customer.chat({ ...QUESTION, ...fields }, { signal })
      await leave(site, ask, '/chat/completions')
      expectNoCentLost(await site.books(), { estimated: ESTIMATED })
    })
  })

  describeSite('of a second upstream', { host }, site => {
    const busy: Answer = { status: 429, body: { error: { message: 'Too many requests', code: 429 } } }
    /** Waits until the site has the second upstream's list. */
    async function listAtSecond(models: Parameters<BilledSite['second']['setModels']>[0]) {
      const ids = models.map(({ id }) => id)
      site.second.setModels([...BILLED_MODELS.filter(({ id }) => !ids.includes(id)), ...models])
      // Longer than a list is valid; each request starts the next refresh.
      for (let look = 0; look < 3; look += 1) {
        await site.clock.pass(3_600_000)
        await (await fetch(`${site.url}/v1/models`)).json()
        await site.services.catalogue.listModels()
      }
    }

    test('with higher prices is never caused, since it is not asked at the first one’s', async () => {
      const dear = { prompt: '0.00015', completion: '0.0006' }
      await listAtSecond([
        standInModel({ id: 'standin/free', ...dear }),
        standInModel({ id: 'standin/small', ...dear }),
      ])
      site.upstream.setScript({ chat: busy })
      site.second.setScript({ chat: { steps: say(4_000) } })
      const customer = await site.fund(1)
      for (const model of ['standin/free', 'standin/small']) {
        const reply = await customer.chat({ model, max_tokens: 4_000, stream: true })
        await readText(reply)
        expect(reply.status).toBe(502)
      }
      expect(await site.books()).toMatchObject({ billedNano: 0n, chargedNano: 0n })
    })

    test('that reads longer prompts is charged, and is covered by the hold', async () => {
      const prices = { prompt: '0.000001', completion: '0.000002' }
      await listAtSecond([standInModel({ id: 'standin/small', ...prices, contextLength: 200_000 })])
      site.upstream.setScript({ chat: busy })
      const customer = await site.fund(1)
      const messages = [{ role: 'user', content: LONG_PROMPT.repeat(40) }]
      await readText(customer.chat({ messages, max_tokens: 100, stream: true }))
      const books = await site.books()
      expect(books.billedNano).toBeGreaterThan(60_000_000n)
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      // The one of the busy host alone: nothing is said to be impossible.
      expect(books.alarms.filter(line => !line.startsWith('catalogue: '))).toEqual(['upstream failed'])
    })
  })
})
