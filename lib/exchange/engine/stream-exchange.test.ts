import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createTestKey } from '@/lib/ledger/testing'
import { parseDecimal, ZERO } from '@/lib/money/decimal'
import { ask, complete, QUESTION } from '@/test/support/exchange-calls'
import { parseEvents, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  createCustomerWithNano,
  createTestCatalogue,
  onlyUsage,
  standInSettings,
  startSite,
  type TestCustomer,
  type TestSite,
} from '@/test/support/exchange-site'
import { HALF_AN_ANSWER, useStandInUpstream } from '@/test/support/stand-in-upstream'
import type { Kind, Quote } from './kind'

describeOnPostgres('a streamed exchange', getDatabase => {
  const upstream = useStandInUpstream({
    chat: { steps: [{ type: 'text', text: 'Hi ', times: 3 }], promptTokens: 10 },
  })
  const site = () => startSite({ database: getDatabase(), upstream })

  test('without credit is refused with both amounts, and no upstream is called', async () => {
    const { ledger, ...rest } = site()
    const customer = await createCustomerWithNano(ledger, 5_000n)
    await expect(ask({ ledger, ...rest }, customer)).rejects.toMatchObject({
      code: 'insufficient_credit',
      status: 402,
      message: expect.stringMatching(
        /^Your balance is too low for this request: it needs 0\.0\d+ USD, and 0\.000005 USD are available\./,
      ),
      details: { available_usd: 0.000005, required_usd: expect.any(Number) },
    })
    expect(upstream.requests.filter(request => request.path === '/chat/completions')).toEqual([])
  })

  test('beyond the limit of its key is refused with both amounts', async () => {
    const running = site()
    const { accountId } = await createCustomer(running.ledger, 1)
    const { credential } = await createTestKey(running.ledger, { accountId, usageLimitNano: 5_000n })
    await expect(ask(running, { accountId, credential })).rejects.toMatchObject({
      code: 'key_limit_reached',
      message: expect.stringMatching(/ needs 0\.0\d+ USD, and the key may spend 0\.000005 USD more\./),
      details: { available_usd: 0.000005, required_usd: expect.any(Number) },
    })
  })

  test('with an empty balance is refused with both amounts before its tokens are counted', async () => {
    const running = site()
    const { chat } = running.kinds
    const estimated = jest.fn<NonNullable<Quote['estimated']>>()
    const quote: Kind['quote'] = async input => ({ ...(await chat.quote(input)), estimated })
    const kinds = { ...running.kinds, chat: { ...chat, quote } }
    const customer = await createCustomerWithNano(running.ledger, 0n)
    await expect(ask({ ...running, kinds }, customer)).rejects.toMatchObject({
      code: 'insufficient_credit',
      details: { available_usd: 0, required_usd: expect.any(Number) },
    })
    expect(estimated).not.toHaveBeenCalled()
  })

  test('with an unknown credential is refused', async () => {
    const nobody = { accountId: '', credential: { kind: 'credit_id' as const, secretHash: '0'.repeat(64) } }
    await expect(ask(site(), nobody)).rejects.toMatchObject({ code: 'invalid_credential', status: 401 })
  })

  test.each(['standin/unheard-of', 'standin/unpriced', 'standin/painter'])(
    'with the model %s is refused as model_not_found',
    async model => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      await expect(ask(running, customer, { body: { model } })).rejects.toMatchObject({
        code: 'model_not_found',
        status: 404,
        param: 'model',
      })
    },
  )

  test('with a model that may be in a list that has not come yet is to be tried again', async () => {
    upstream.setScript({ models: { status: 503, body: 'down' } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await expect(ask(running, customer)).rejects.toMatchObject({
      code: 'upstream_error',
      status: 502,
      headers: { 'retry-after': '2' },
    })
  })

  test('is passed on unchanged, and ends with its cost, the balance and [DONE]', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await ask(running, customer)
    expect(reply.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    const stream = await readAll(reply)
    expect(textOf(stream)).toBe('Hi Hi Hi ')
    expect(usageOf(stream)).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 3,
      cost: 0.000016,
      balance_usd: 0.999984,
    })
    // Most clients read the first choice of every chunk; some take the last one's finish reason.
    expect(parseEvents(stream).at(-2)).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { cost: 0.000016 },
    })
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    const usage = await onlyUsage(running.ledger, customer)
    expect(usage).toMatchObject({
      holdId: reply.headers['x-exchange-id'],
      status: 'completed',
      costBasis: 'upstream_tokens',
      chargedNano: 16_000n,
      inputTokenCount: 10,
      outputTokenCount: 3,
      estimated: false,
      querySource: 'api',
      upstreamId: 'stand-in',
    })
  })

  test.each([
    ['chat', ask],
    ['completions', complete],
  ])('of %s ends with a chunk without choices if the request asked for its usage in one', async (_, way) => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await way(running, customer, { body: { stream_options: { include_usage: true } } })
    expect(parseEvents(await readAll(reply)).at(-2)).toMatchObject({
      choices: [],
      usage: { cost: expect.any(Number) },
    })
  })

  test('reaches the upstream only after its hold was placed', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'asked' }] } })
    const reply = ask(running, customer)
    await upstream.gates.reached('asked')
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(balance?.heldNano).toBeGreaterThan(0n)
    upstream.gates.open('asked')
    await readAll(await reply)
    expect((await running.ledger.getBalance({ credential: customer.credential }))?.heldNano).toBe(0n)
  })

  test('names the ignored provider fields', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const provider = { zdrr: true, max_price: { promt: 0.1, prompt: 1_000 } }
    const reply = await ask(running, customer, { body: { provider } })
    await readAll(reply)
    expect(reply.headers['x-ignored-fields']).toBe('provider.zdrr, provider.max_price.promt')
  })

  test('sends the fields of its contract unchanged, with our key and without the client’s headers', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const fields = {
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      response_format: { type: 'json_object' },
      reasoning: { effort: 'high' },
      stream_options: { include_obfuscation: false },
      temperature: 0.25,
      seed: 7,
    }
    const elsewhere = {
      api_base: 'http://elsewhere',
      api_key: 'k',
      fallbacks: ['m'],
      extra_headers: {},
      provider: { order: ['x'] },
    }
    const reply = await ask(running, customer, { body: { ...fields, ...elsewhere } })
    await readAll(reply)
    expect(reply.headers['x-ignored-fields']?.split(', ').sort()).toEqual(Object.keys(elsewhere).sort())
    const request = await upstream.requestTo('/chat/completions')
    for (const name of Object.keys(elsewhere)) expect(request.body).not.toHaveProperty(name)
    expect(request.body).toMatchObject({
      ...fields,
      stream_options: { include_usage: true },
      max_tokens: 4_096,
    })
    expect(request.headers.authorization).toBe('Bearer upstream-secret')
    expect(Object.keys(request.headers).sort()).toEqual(
      [
        'accept',
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
      ].sort(),
    )
  })

  test.each([
    [{ plugins: [{ id: 'web', max_results: 50 }] }, 'plugins.0.id'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ tools: [{ type: 'openrouter:datetime' }] }, 'tools.0.type'],
    [{ tools: [{ type: 'openrouter:web_search' }] }, 'tools'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ best_of: 4 }, 'best_of'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
    [{ modalities: ['text', 'audio'], audio: { voice: 'alloy' } }, 'modalities'],
    [{ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'messages.0.content'],
  ])('with %j, which has no price here, is refused before an upstream is called', async (body, param) => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await expect(ask(running, customer, { body })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      param: expect.stringContaining(param),
    })
    expect(upstream.requests.filter(({ path }) => path === '/chat/completions')).toEqual([])
  })

  test('is limited to what three cents buy, by max_tokens at the upstream', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0.03)
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'x', times: 3_000 }] } })
    const body = { model: 'standin/large', max_completion_tokens: 4_000 }
    const stream = await readAll(await ask(running, customer, { body }))
    const request = await upstream.requestTo('/chat/completions')
    const sent = (request.body as { max_tokens: number }).max_tokens
    expect(sent).toBeGreaterThan(500)
    expect(sent).toBeLessThan(1_000)
    expect(request.body).not.toHaveProperty('max_completion_tokens')
    expect(textOf(stream)).toBe('x'.repeat(sent))
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('divides its hold among its choices', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0.03)
    await readAll(await ask(running, customer, { body: { model: 'standin/large', max_tokens: 4_000, n: 4 } }))
    const { body } = await upstream.requestTo('/chat/completions')
    expect((body as { max_tokens: number }).max_tokens).toBeLessThan(250)
  })

  test('of a free model needs no credit', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0)
    const stream = await readAll(await ask(running, customer, { body: { model: 'standin/free' } }))
    expect(usageOf(stream)).toMatchObject({ cost: 0 })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'completed', chargedNano: 0n })
  })

  test('is charged by the upstream’s reported cost plus markup, before anything else', async () => {
    const priceMarkup = parseDecimal('0.1') ?? ZERO
    const running = startSite({ database: getDatabase(), upstream, priceMarkup })
    const customer = await createCustomer(running.ledger, 1)
    upstream.setScript({ chat: { costUsd: 0.0005, dialect: 'openrouter' } })
    const stream = await readAll(await ask(running, customer))
    expect(usageOf(stream)).toMatchObject({ cost: 0.00055 })
    expect(usageOf(stream)).not.toHaveProperty('is_byok')
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      costBasis: 'upstream_cost',
      chargedNano: 550_000n,
    })
  })

  test('keeps the price of its hold when the price changes meanwhile', async () => {
    const settings = [standInSettings(upstream, 'stand-in')]
    let catalogue = createTestCatalogue(settings)
    const running = startSite({
      database: getDatabase(),
      upstream,
      catalogue: {
        listModels: () => catalogue.listModels(),
        findModel: id => catalogue.findModel(id),
        secondsToMissingList: () => catalogue.secondsToMissingList(),
      },
    })
    const customer = await createCustomer(running.ledger, 1)
    upstream.setScript({
      chat: {
        steps: [
          { type: 'text', text: 'Hi' },
          { type: 'gate', name: 'mid' },
        ],
        promptTokens: 10,
      },
    })
    const reply = await ask(running, customer)
    await upstream.gates.reached('mid')
    catalogue = createTestCatalogue(settings, parseDecimal('50') ?? ZERO)
    upstream.gates.open('mid')
    await readAll(reply)
    const usage = await onlyUsage(running.ledger, customer)
    expect(usage.chargedNano).toBe(12_000n)
    expect(usage.priceSnapshot).toMatchObject({ prompt: '0.000001' })
  })

  test('arrives the same, however its bytes are framed', async () => {
    const running = site()
    const steps = [
      { type: 'text' as const, text: 'Grüße 🌍 ' },
      { type: 'comment' as const, text: 'busy' },
    ]
    const streams: string[] = []
    for (const framing of [{}, { bytesPerWriteMax: 7 }, { coalesced: true }, { lineEnd: '\r\n' as const }]) {
      const customer = await createCustomer(running.ledger, 1)
      upstream.setScript({ chat: { steps, framing, promptTokens: 10 } })
      const stream = await readAll(await ask(running, customer))
      streams.push(textOf(stream.replaceAll('\r\n', '\n')))
      expect(await onlyUsage(running.ledger, customer)).toMatchObject({
        chargedNano: 12_000n,
        status: 'completed',
      })
    }
    expect(new Set(streams)).toEqual(new Set(['Grüße 🌍 ']))
  })

  test.each(['chat', 'messages', 'responses'] as const)(
    'keeps no part of its request in memory while it runs: %s',
    async kind => {
      upstream.setScript(HALF_AN_ANSWER)
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const { reply, question } = beginMarked(running, customer, kind)
      const answer = await reply
      await upstream.gates.reached('mid')
      setFlagsFromString('--expose-gc')
      runInNewContext('gc')()
      expect(question.deref()).toBeUndefined()
      upstream.gates.open('mid')
      await readAll(answer)
    },
  )
})

/** A question with a value that nothing reads, and that goes on as it is. */
function beginMarked(
  { exchanges, kinds }: TestSite,
  { credential }: TestCustomer,
  kind: 'chat' | 'messages' | 'responses',
) {
  const { messages, ...question } = QUESTION
  const mark = { mark: true }
  const marked = kind === 'messages' ? { max_tokens: 100, top_k: mark } : { safety_identifier: mark }
  const asked = kind === 'responses' ? { input: messages } : { messages }
  const reply = exchanges.begin(kinds[kind], {
    credential,
    body: Buffer.from(kind),
    json: async () => ({ ...question, ...asked, ...marked }),
    contentType: null,
    querySource: 'api',
    takeFree: async () => {},
    idempotencyKey: null,
    maxChargeNano: null,
    resumeKey: null,
    signal: new AbortController().signal,
  })
  return { reply, question: new WeakRef(mark) }
}
