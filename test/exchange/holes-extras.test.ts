import { beforeEach, describe, expect, test } from '@jest/globals'
import type { RecordedRequest, Step } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost } from './books'
import { readText } from './caller'
import { testHostChoices } from './host-choices'
import { type BilledSite, describeSite, HOSTS } from './site'

const ANSWER: Step[] = [{ type: 'text', text: 'Ho ', times: 50 }]

/** Fields that could cost something, or change who pays: never left to the upstream's judgement. */
const DEAR_FIELDS: readonly [string, object][] = [
  ['the web plugin', { plugins: [{ id: 'web', max_results: 50 }] }],
  ['an unknown plugin', { plugins: [{ id: 'anything' }] }],
  ['a search by option', { web_search_options: { search_context_size: 'high' } }],
  ['an unknown server tool', { tools: [{ type: 'openrouter:image_generation' }] }],
  ['a search tool of OpenAI', { tools: [{ type: 'web_search_preview' }] }],
  [
    'a search tool without a price',
    { tools: [{ type: 'openrouter:web_search', parameters: { max_uses: 5 } }] },
  ],
  ['priority', { service_tier: 'priority' }],
  ['the best of twenty', { best_of: 20 }],
  [
    'a document that is read by the page',
    {
      messages: [{ role: 'user', content: [{ type: 'document_url', document_url: 'https://a.test/b.pdf' }] }],
    },
  ],
]

/** Fields that name another host, key or account. */
const FOREIGN_FIELDS: readonly [string, object][] = [
  ['api_base', { api_base: 'http://127.0.0.1:9/v1' }],
  ['base_url', { base_url: 'http://127.0.0.1:9/v1' }],
  ['api_key', { api_key: 'sk-somebody-else' }],
  ['fallbacks', { fallbacks: ['standin/dear'] }],
  ['user_config', { user_config: { model_list: [] } }],
  ['extra_headers', { extra_headers: { 'x-api-key': 'sk-somebody-else' } }],
]

const chatRequests = ({ upstream }: BilledSite): RecordedRequest[] =>
  upstream.requests.filter(({ path }) => path === '/chat/completions')

/** Either refused before a host was asked, or left out and named in the answer; dropping it silently is neither. */
async function expectRefusedOrLeftOut(site: BilledSite, reply: Response, field: string): Promise<void> {
  if (reply.status === 400) {
    expect(chatRequests(site)).toEqual([])
    return
  }
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-ignored-fields')).toContain(field)
  for (const { body } of chatRequests(site)) expect(body).not.toHaveProperty(field)
}

describe.each(HOSTS)('no extra is unpaid, at a host of the kind %s', host => {
  describeSite('fields that cost', { host }, site => {
    test.each(DEAR_FIELDS)('%s, on a free model and with an empty balance, is refused', async (_, fields) => {
      const customer = await site.fund(0)
      const reply = await customer.chat({ model: 'standin/free', ...fields })
      expect([400, 402]).toContain(reply.status)
      expect(chatRequests(site)).toEqual([])
    })

    test.each(DEAR_FIELDS)('%s, on a paid model, costs the operator nothing', async (_, fields) => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      const customer = await site.fund(5)
      await readText(customer.chat({ max_tokens: 100, ...fields }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test.each([63, 62, 10_000])('%d results of the web plugin are refused', async count => {
      const customer = await site.fund(5)
      const reply = await customer.chat({ plugins: [{ id: 'web', max_results: count }] })
      expect(reply.status).toBe(400)
      expect(chatRequests(site)).toEqual([])
    })

    test.each(['tools', 'functions'])(
      'a host’s own search hidden in %s is removed or refused',
      async field => {
        const customer = await site.fund(5)
        const wait = { name: 'wait', description: 'Waits', parameters: { type: 'object' }, strict: true }
        const told = field === 'tools' ? { type: 'function', function: wait } : wait
        const hidden = { ...told, googleSearch: {}, google_maps: {}, urlContext: {} }
        await readText(customer.chat({ max_tokens: 50, [field]: [hidden] }))
        expect(chatRequests(site).map(({ body }) => body)).toEqual([
          expect.objectContaining({ [field]: [told] }),
        ])
        expect((await customer.chat({ functions: [{ googleSearch: {} }] })).status).toBe(400)
      },
    )

    test.each(['standin/free:online', 'standin/small:online', 'standin/small:nitro'])(
      'the model suffix of %s is refused',
      async model => {
        const customer = await site.fund(5)
        expect((await customer.chat({ model })).status).toBe(404)
        expect(chatRequests(site)).toEqual([])
      },
    )

    test('instructions for speech are charged', async () => {
      const customer = await site.fund(5)
      await readText(customer.speak({ instructions: 'Like a judge, slowly. '.repeat(100) }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })

    test('a provider above the listed price costs the operator nothing', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      const customer = await site.fund(5)
      const provider = { order: ['dear-provider'] }
      await readText(customer.chat({ max_tokens: 50, provider, stream: true }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test('a reasoning mode that switches the model is refused, and unknown reasoning fields are dropped', async () => {
      const customer = await site.fund(5)
      const pro = { mode: 'pro' }
      expect((await customer.chat({ reasoning: pro })).status).toBe(400)
      expect(
        (await customer.post('/v1/responses', { model: 'standin/small', input: 'Hi', reasoning: pro }))
          .status,
      ).toBe(400)
      expect(chatRequests(site)).toEqual([])
      const reply = await customer.chat({ reasoning: { effort: 'low', mode: 'standard', depth: 'deepest' } })
      expect(reply.headers.get('x-ignored-fields')).toBe('reasoning.depth')
      await readText(reply)
      expect(chatRequests(site)).toMatchObject([{ body: { reasoning: { effort: 'low', mode: 'standard' } } }])
      for (const { body } of chatRequests(site)) expect(body).not.toHaveProperty('reasoning.depth')
    })

    test('twenty thousand tokens of reasoning beside an answer of a hundred are charged', async () => {
      site.upstream.setScript({
        chat: request => ({ steps: [...thoughts(request), ...ANSWER], ignoresMaxTokens: true }),
      })
      const customer = await site.fund(5)
      const reasoning = { max_tokens: 20_000 }
      await readText(customer.chat({ model: 'standin/thinker', max_tokens: 100, reasoning, stream: true }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })
  })

  describeSite('a picture in a chat answer', { host }, site => {
    const picture: Step = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=', tokens: 7_024 }
    const model = 'standin/illustrator'
    beforeEach(() =>
      site.upstream.setScript({ chat: { steps: [...ANSWER, picture], ignoresMaxTokens: true } }),
    )

    test.each([
      ['is charged beside max_tokens of sixteen', { max_tokens: 16 }, {}],
      ['is charged when requested in modalities', { max_tokens: 16, modalities: ['image', 'text'] }, {}],
      ['is charged within a limit of thirty cents', {}, { 'x-max-charge-usd': '0.3' }],
    ])('%s', async (_, fields, headers) => {
      const customer = await site.fund(5)
      await readText(customer.chat({ model, ...fields, stream: true }, { headers }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test.each([
      [{}, {}],
      [{ max_tokens: 7_100 }, {}],
      [{ max_tokens: 7_100, n: 2 }, {}],
      [{}, { 'x-max-charge-usd': '0.5' }],
    ])('is one of several that are charged, each drawn whole, with %j and %j', async (fields, headers) => {
      site.upstream.setScript({
        chat: request => ({ steps: [...ANSWER, ...manyOf(picture, request)], ignoresMaxTokens: true }),
      })
      const customer = await site.fund(5)
      await readText(customer.chat({ model, ...fields, stream: true }, { headers }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.billedNano).toBeGreaterThan(200_000_000n)
      expect(books.lossNano).toBe(0n)
    })

    test('is refused without balance for it', async () => {
      const customer = await site.fund(0.1)
      expect((await customer.chat({ model, max_tokens: 16 })).status).toBe(402)
      expect(chatRequests(site)).toEqual([])
    })

    test('is held for if the host may ignore the modalities field', async () => {
      const words = { model, max_tokens: 16, modalities: ['text'] }
      if (host === 'openrouter') site.upstream.setScript({})
      const poor = await site.fund(0.1)
      expect((await poor.chat(words)).status).toBe(host === 'openrouter' ? 200 : 402)
      const customer = await site.fund(5)
      await readText(customer.chat({ ...words, stream: true }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })
  })

  describeSite('a client’s choice of providers', { host }, site => testHostChoices(site, host))

  describeSite('fields that name another host or key', { host }, site => {
    test.each(FOREIGN_FIELDS)('%s never reaches an upstream of a chat', async (field, fields) => {
      const customer = await site.fund(5)
      await expectRefusedOrLeftOut(site, await customer.chat(fields), field)
    })

    test.each(FOREIGN_FIELDS)('%s never reaches an upstream of images or speech', async (field, fields) => {
      const customer = await site.fund(5)
      await readText(customer.draw(fields))
      await readText(customer.speak(fields))
      for (const { body } of site.upstream.requests) expect(body ?? {}).not.toHaveProperty(field)
      expectNoCentLost(await site.books())
    })

    test.each(['frobnicate', 'metadata_of_tomorrow'])(
      'the unknown field %s is dropped and reported',
      async field => {
        const customer = await site.fund(5)
        const reply = await customer.chat({ [field]: { deep: true } })
        expect(reply.status).toBe(200)
        await expectRefusedOrLeftOut(site, reply, field)
      },
    )
  })

  describeSite('a film in place of a text to be embedded', { host }, site => {
    const model = 'standin/multimodalembedding'
    const taken = host === 'openrouter' ? 200 : 400
    test.each([
      ['in storage', 'gs://bucket/film.mp4', taken],
      ['in a list', ['A coin', ' s3://bucket/film.mp4'], taken],
      ['on the web', 'https://films.example/film.mp4', taken],
      ['as data', 'data:video/mp4;base64,AAAA', taken],
      ['by the name of a file', 'files/abc123', taken],
      ['that is only spoken of', 'Read https://films.example/film.mp4 and data: no files/', 200],
      ['as tokens', [1, 2, 3], 200],
    ])('%s is sent only to a host that takes it for a text', async (_, input, status) => {
      const customer = await site.fund(1)
      const reply = await customer.embed({ model, input })
      expect(reply.status).toBe(status)
      expectNoCentLost(await site.books())
    })

    test('is a text for a model that reads nothing else', async () => {
      const customer = await site.fund(1)
      expect((await customer.embed({ input: 'gs://bucket/film.mp4' })).status).toBe(200)
    })
  })

  describeSite('a cache mark', { host }, site => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const long = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const untimed = { cache_control: { type: 'ephemeral', ttl: null } }
    const content = (marked: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...marked }] }]
    const ignoredBy = async (path: string, body: object) => {
      const customer = await site.fund(1)
      const reply = await customer.post(path, { max_tokens: 20, ...body })
      await readText(reply)
      expect(reply.status).toBe(200)
      return reply.headers.get('x-ignored-fields')
    }
    const isNamed = host === 'plain' ? 'cache_control' : null

    test.each([
      ['in a part', { model: 'standin/small', messages: content(mark) }, isNamed],
      ['in the request', { model: 'standin/small', messages: content({}), ...mark }, isNamed],
      ['that lasts too long', { model: 'standin/cacher', messages: content(long) }, isNamed],
      ['with a price', { model: 'standin/cacher', messages: content(mark) }, null],
      ['that does not say how long', { model: 'standin/cacher', messages: content(untimed) }, null],
      ['of null', { model: 'standin/small', messages: content({ cache_control: null }) }, null],
    ])('%s is named if it is dropped', async (_, body, named) => {
      expect(await ignoredBy('/v1/chat/completions', body)).toBe(named)
    })

    test('in another dialect is named if it is dropped', async () => {
      const body = { model: 'standin/cacher', messages: content(mark) }
      expect(await ignoredBy('/v1/messages', body)).toBe(isNamed)
    })
  })

  describeSite('a model that searches automatically', { host }, site => {
    test.each([undefined, 'billed'] as const)(
      'is charged with its search, with a reported cost of %s',
      async costUsd => {
        const steps: Step[] = [{ type: 'search' }, { type: 'text', text: 'Ho' }]
        site.upstream.setScript({ chat: { steps, ...(costUsd && { costUsd }) } })
        const customer = await site.fund(1)
        await readText(customer.chat({ model: 'standin/sonar', max_tokens: 1, stream: true }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.billedNano).toBeGreaterThan(10_000_000n)
        expect(books.lossNano).toBe(0n)
      },
    )
  })

  describeSite('a web search with a price', { host }, site => {
    const search = (parameters: object) => ({
      model: 'standin/searcher',
      max_tokens: 100,
      stream: true,
      tools: [{ type: 'openrouter:web_search', parameters }],
    })

    if (host === 'plain') {
      test('is refused at a host other than OpenRouter', async () => {
        const customer = await site.fund(5)
        const reply = await customer.chat(search({}))
        expect([reply.status, (await reply.json()).error.param]).toEqual([400, 'tools'])
        expect(chatRequests(site)).toEqual([])
      })
      return
    }

    test.each([{ max_uses: 3, max_results: 5 }, { max_uses: 1 }, {}])(
      'within %j is charged',
      async parameters => {
        site.upstream.setScript({ chat: request => ({ steps: [...searches(request), ...ANSWER] }) })
        const customer = await site.fund(5)
        await readText(customer.chat(search(parameters)))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.lossNano).toBe(0n)
      },
    )

    test.each([
      { max_uses: 3, max_results: 1 },
      { max_uses: 2, max_results: 25 },
    ])('by an engine more expensive than the model’s host is charged within %j', async parameters => {
      site.upstream.setScript({ chat: request => ({ steps: [...searches(request), ...ANSWER] }) })
      const customer = await site.fund(5)
      await readText(customer.chat({ ...search(parameters), model: 'standin/cheap-searcher' }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test('is sent with limits for searches, results and characters', async () => {
      const customer = await site.fund(5)
      const reply = await customer.chat(search({ engine: 'native', search_context_size: 'high' }))
      await readText(reply)
      const [request] = chatRequests(site)
      // `high` means 30,000 characters of each result, and a model's own search ignores all of these limits.
      expect(request && toolOf(request)).toEqual({
        type: 'openrouter:web_search',
        parameters: { engine: 'exa', max_uses: 3, max_results: 5, max_characters: 2_500 },
      })
    })

    test('is refused if its listed price is zero', async () => {
      const customer = await site.fund(5)
      const reply = await customer.chat({ ...search({ max_results: 25 }), model: 'standin/unsearched' })
      expect([reply.status, (await reply.json()).error.param]).toEqual([400, 'tools'])
      expect(chatRequests(site)).toEqual([])
    })

    test('causes no unknown loss at a host that searches thirty times instead of three', async () => {
      const steps: Step[] = [...Array.from({ length: 30 }, () => ({ type: 'search' as const })), ...ANSWER]
      site.upstream.setScript({ chat: { steps } })
      const customer = await site.fund(5)
      await readText(customer.chat(search({ max_uses: 3, max_results: 5 })))
      const books = await site.books()
      expectNoCentLost(books)
    })

    test('is refused or limited without balance for it', async () => {
      const customer = await site.fund(0.005)
      const reply = await customer.chat(search({ max_uses: 10, max_results: 10 }))
      expect([402, 200]).toContain(reply.status)
      await readText(reply)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })
  })
})

/** As many as are begun before the received limit is reached; the last one goes beyond it. */
function manyOf(picture: Step & { tokens?: number }, { body }: RecordedRequest): Step[] {
  const { max_tokens: tokenCountMax = 0 } = body as { max_tokens?: number }
  const tokenCount = ANSWER.reduce((sum, step) => sum + (step.type === 'text' ? (step.times ?? 1) : 0), 0)
  return Array(Math.max(1, Math.ceil((tokenCountMax - tokenCount) / (picture.tokens ?? 1)))).fill(picture)
}

/** As much as the received request allows. */
function thoughts({ body }: RecordedRequest): Step[] {
  const { reasoning } = body as { reasoning?: { max_tokens?: number } }
  return [{ type: 'hidden', tokens: reasoning?.max_tokens ?? 0 }]
}

/** As many searches as the received request allows, or the host's own limit if it does not say. */
function searches(request: RecordedRequest): Step[] {
  const { max_uses: count = 10 } = toolOf(request)?.parameters ?? {}
  return Array.from({ length: count }, () => ({ type: 'search' }))
}

function toolOf({
  body,
}: RecordedRequest): { type?: string; parameters?: { max_uses?: number } } | undefined {
  const { tools } = body as { tools?: { type?: string; parameters?: { max_uses?: number } }[] }
  return tools?.[0]
}
