import { describe, expect, test } from '@jest/globals'
import { wave } from '@/test/stand-ins/sounds'
import type { Answer, Step } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost, outwait } from './books'
import { type Caller, readText, readUntil } from './caller'
import { type BilledSite, describeSite, HOSTS } from './site'
import { OVERLOADED, say } from './steps'

/** As OpenRouter reports a failure in its place in the answer: with a reason, or without. */
const failedChoice = (told: object = {}) => ({
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error', ...told }],
})

const FAILURES: readonly [string, Answer][] = [
  ['an error status', { status: 503, body: OVERLOADED }],
  ['a refusal of too many requests', { status: 429, body: OVERLOADED }],
  ['an error before any output', { steps: [{ type: 'error', error: OVERLOADED.error }] }],
  [
    'an error behind a comment',
    {
      steps: [
        { type: 'comment', text: 'WORKING' },
        { type: 'error', error: OVERLOADED.error },
      ],
    },
  ],
  ['a choice that failed', { steps: [{ type: 'event', data: failedChoice() }], bills: 'nothing' }],
  [
    'an error of a choice',
    { steps: [{ type: 'event', data: failedChoice({ error: OVERLOADED.error }) }], bills: 'nothing' },
  ],
  ['a cut before the headers', { beforeHeaders: [{ type: 'destroy' }] }],
  ['a cut before any output', { steps: [{ type: 'destroy' }] }],
  ['an end before any output', { steps: [{ type: 'end' }] }],
  [
    'something else than an answer',
    { body: '<html>Bad gateway</html>', contentType: 'text/html', bills: 'nothing' },
  ],
]

const KINDS: readonly [string, string, (customer: Caller, signal?: AbortSignal) => Promise<Response>][] = [
  ['a stream', 'chat', (customer, signal) => customer.chat({ stream: true }, { signal })],
  ['a whole answer', 'chat', (customer, signal) => customer.chat({}, { signal })],
  ['a picture', 'images', (customer, signal) => customer.draw({}, { signal })],
  ['sound', 'speech', (customer, signal) => customer.speak({}, { signal })],
  [
    'a transcript',
    'transcriptions',
    (customer, signal) => customer.transcribe(new Uint8Array(wave(12).bytes), {}, { signal }),
  ],
]

const countPosts = ({ requests }: BilledSite['upstream']) =>
  requests.filter(({ method }) => method === 'POST').length

/** Refusals for what the prompt says, by hosts that bill a prompt all the same. */
const FILTERS: readonly [string, Answer][] = [
  [
    'Azure',
    {
      status: 400,
      body: {
        error: {
          message: 'The response was filtered due to the prompt triggering our content management policy.',
          type: null,
          param: 'prompt',
          code: 'content_filter',
        },
      },
    },
  ],
  [
    'xAI',
    {
      status: 403,
      body: {
        code: 'The caller does not have permission to execute the specified operation',
        error:
          'Content violates usage guidelines. Team: 5d8e, API key ID: 77aa, Model: grok, Failed check: SAFETY_CHECK_TYPE_BIO',
      },
    },
  ],
]

describe.each(HOSTS)('a failing upstream of the kind %s', host => {
  describeSite('before any output', { host }, site => {
    test.each(FAILURES)('costs nothing: %s', async (_, answer) => {
      for (const upstream of [site.upstream, site.second]) upstream.setScript({ chat: answer })
      const customer = await site.fund(1)
      await readText(customer.chat({ stream: true }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: 0n, billedNano: 0n })
      expect(await customer.balanceUsd()).toBe(1)
    })

    test.each(KINDS)('costs nothing, and the next upstream answers: %s', async (_, route, call) => {
      site.upstream.setScript({ [route]: { status: 503, body: OVERLOADED } })
      const customer = await site.fund(1)
      const reply = await call(customer)
      expect(reply.status).toBe(200)
      await readText(reply)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.bills).toHaveLength(1)
      expect(books.chargedNano).toBe(books.billedNano)
    })
  })

  describeSite('after some output', { host }, site => {
    test.each<[string, Step]>([
      ['an error', { type: 'error', error: { message: 'Provider disconnected', code: 502 } }],
      ['a choice that failed', { type: 'event', data: failedChoice() }],
      ['a cut', { type: 'destroy' }],
      ['an early end', { type: 'end' }],
      ['a silence', { type: 'hang' }],
    ])('costs what was delivered: %s', async (_, step) => {
      site.upstream.setScript({ chat: { steps: [...say(200), step] } })
      const customer = await site.fund(5)
      const reply = await customer.chat({ model: 'standin/large', stream: true })
      await readUntil(reply, ' word')
      await outwait(site.database, readText(reply))
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      expect(books.chargedNano).toBeGreaterThan(0n)
      expect(countPosts(site.second)).toBe(0)
    })

    test('costs what was delivered of speech, and the rest of the bill is a recorded loss', async () => {
      const sound: Step = { type: 'raw', text: '\xff\xfb'.repeat(4_000) }
      site.upstream.setScript({ speech: { steps: [sound, { type: 'hang' }] } })
      const customer = await site.fund(5)
      const input = 'A rather long text that takes its time to be read aloud. '.repeat(60)
      const reply = await customer.speak({ input })
      await readUntil(reply, '\ufffd')
      await outwait(site.database, readText(reply))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.chargedNano).toBeGreaterThan(0n)
      expect(books.lossNano).toBeGreaterThan(books.chargedNano)
    })
  })

  describeSite('many times', { host }, site => {
    const question = {
      model: 'standin/dear',
      messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
      max_tokens: 1,
    }

    test('costs the operator at most ten times the customer’s deposit per day, and one call', async () => {
      site.upstream.setScript({ chat: { beforeHeaders: [{ type: 'destroy' }], bills: 'whole' } })
      const customer = await site.fund(1)
      let reply = await customer.chat(question)
      for (let ask = 1; ask < 200 && reply.status === 502; ask += 1) reply = await customer.chat(question)
      expect(reply.status).toBe(429)
      expect((await reply.json()).error).toMatchObject({
        code: 'too_many_failures',
        type: 'rate_limit_error',
      })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      expect(books.chargedNano).toBe(0n)
      expect(books.bills.length).toBeGreaterThan(3)
      expect(books.bills).toHaveLength(countPosts(site.upstream))
      expect(books.lossNano).toBeLessThan(
        10_000_000_000n + (books.billedNano * 2n) / BigInt(books.bills.length),
      )
      site.upstream.setScript({})
      expect((await (await site.fund(1)).chat(question)).status).toBe(200)
      expect((await customer.chat(question)).status).toBe(429)
    })

    test('with refusals that are not billed does not block the customer', async () => {
      for (const upstream of [site.upstream, site.second])
        upstream.setScript({ chat: { status: 503, body: OVERLOADED } })
      const customer = await site.fund(1)
      for (let ask = 0; ask < 20; ask += 1) expect((await customer.chat(question)).status).toBe(502)
      site.upstream.setScript({})
      expect((await customer.chat(question)).status).toBe(200)
    })
  })

  describeSite('with a timeout', { host }, site => {
    test.each(KINDS)(
      'is billed at most once and costs the customer nothing: %s',
      async (kind, route, call) => {
        site.upstream.setScript({ [route]: { beforeHeaders: [{ type: 'gate', name: 'late' }] } })
        const customer = await site.fund(5)
        const reply = readText(call(customer))
        await site.upstream.gates.reached('late')
        await outwait(site.database, reply)
        site.upstream.gates.open('late')
        const books = await site.books()
        expect(books.chargedNano).toBe(0n)
        expect(books.bills.length).toBeLessThanOrEqual(1)
        expect(countPosts(site.second)).toBe(0)
        // The operator has to know what is billed all the same; how much a host has written that it never sent, nobody
        // can know.
        expectNoCentLost(books, { estimated: kind === 'a whole answer' ? 0.5 : ESTIMATED })
      },
    )

    test('before the first word is not tried elsewhere and costs the customer nothing', async () => {
      const steps: Step[] = [
        { type: 'comment', text: 'WORKING' },
        { type: 'gate', name: 'silent' },
      ]
      site.upstream.setScript({ chat: { steps } })
      const customer = await site.fund(5)
      const reply = readText(customer.chat({ model: 'standin/dear', stream: true }))
      // The clock must not run ahead of a request that is still on its way.
      await site.upstream.gates.reached('silent')
      await outwait(site.database, reply)
      site.upstream.gates.open('silent')
      const books = await site.books()
      expect(books.chargedNano).toBe(0n)
      expect(countPosts(site.second)).toBe(0)
      expectNoCentLost(books, { estimated: ESTIMATED })
    })

    test('is charged if the customer had left before', async () => {
      site.upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'late' }, { type: 'hang' }] } })
      const customer = await site.fund(5)
      const abort = new AbortController()
      const messages = [{ role: 'user', content: 'word '.repeat(500) }]
      const asked = customer.chat({ model: 'standin/dear', messages, stream: true }, { signal: abort.signal })
      const reply = readText(asked)
      await site.upstream.gates.reached('late')
      abort.abort()
      await reply
      site.upstream.gates.open('late')
      const { ended } = await site.upstream.requestTo('/chat/completions')
      await outwait(site.database, ended)
      expectNoCentLost(await site.books(), { estimated: ESTIMATED })
    })
  })

  describeSite('with a reset of a kept connection', { host }, site => {
    test.each(KINDS)('is not asked again after it may have read the request: %s', async (_, route, call) => {
      const customer = await site.fund(5)
      await readText(call(customer))
      await site.books()
      const before = countPosts(site.upstream)
      // What was read may already have caused work: this cannot be found out, so nobody may ask again.
      site.upstream.setScript({ [route]: { beforeHeaders: [{ type: 'destroy' }], bills: 'whole' } })
      const balanceUsd = await customer.balanceUsd()
      await readText(call(customer))
      await site.books()
      expect(countPosts(site.upstream)).toBe(before + 1)
      expect(countPosts(site.second)).toBe(0)
      expect(await customer.balanceUsd()).toBe(balanceUsd)
    })
  })
})

describeSite('a prompt that its host filters', { host: 'plain' }, site => {
  const question = {
    model: 'standin/thinker',
    messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
    max_tokens: 5_000,
    reasoning: { effort: 'high' },
  }

  test.each(FILTERS)('is not charged, and its bill is a recorded loss: %s', async (_, answer) => {
    site.upstream.setScript({ chat: { ...answer, bills: 'whole' } })
    const customer = await site.fund(1)
    const headers = { 'idempotency-key': 'once' }
    const reply = await customer.chat(question, { headers })
    expect(reply.status).toBe(answer.status)
    expect(await reply.text()).not.toMatch(/5d8e|77aa/)
    expect((await customer.chat(question, { headers })).status).toBe(answer.status)
    const books = await site.books()
    expectNoCentLost(books, { estimated: ESTIMATED })
    expect(books).toMatchObject({ chargedNano: 0n, bills: [{ items: [{ what: 'prompt tokens' }] }] })
    // It has written nothing, whatever the answer may have cost.
    expect(books.lossNano).toBeLessThan((books.billedNano * 13n) / 10n)
    expect(countPosts(site.upstream) + countPosts(site.second)).toBe(1)
  })

  test.each(FILTERS)('cannot be sent without end: %s', async (_, answer) => {
    site.upstream.setScript({ chat: { ...answer, bills: 'whole' } })
    const customer = await site.fund(1)
    const dear = { ...question, model: 'standin/dear', max_tokens: 1 }
    let reply = await customer.chat(dear)
    for (let ask = 1; ask < 200 && reply.status === answer.status; ask += 1) reply = await customer.chat(dear)
    expect(reply.status).toBe(429)
    expect((await site.books()).lossNano).toBeGreaterThanOrEqual(10_000_000_000n)
  })
})

describe.each(HOSTS)('a picture that its host holds back, of the kind %s', host => {
  const route = host === 'openrouter' ? '/images' : '/images/generations'
  const told = (usage: object): Answer => ({
    status: 400,
    body: {
      code: 'imagine:content-moderated',
      error: 'Generated image rejected by content moderation.',
      ...usage,
    },
    bills: 'whole',
  })

  describeSite('is a recorded loss', { host }, site => {
    const answers: [string, object][] = [
      ['with its cost told', { usage: { cost_in_usd_ticks: 400_000_000 } }],
    ]
    if (host === 'plain') answers.push(['without', {}])
    test.each(answers)('%s', async (_, usage) => {
      for (const upstream of [site.upstream, site.second]) upstream.setScript({ images: told(usage) })
      const customer = await site.fund(1)
      const reply = await customer.draw()
      expect(reply.status).toBe(400)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: 0n, bills: [{ path: route }] })
      expect(await customer.balanceUsd()).toBe(1)
    })
  })
})
