import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { isObject } from '@/lib/http/domain/is-object'
import { parseDecimal } from '@/lib/money/decimal'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import type { Answer, RecordedRequest } from '@/test/stand-ins/upstream-script'
import { embed } from '@/test/support/exchange-calls'
import { responseTo } from '@/test/support/exchange-replies'
import {
  createCustomer,
  createCustomerWithNano,
  onlyUsage,
  standInSettings,
  startSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'
import { writeAnswer } from './embeddings'

/** At twenty nano-dollars a token. */
const TOKEN_NANO = 20n
const vector = (...embedding: number[]) => ({ object: 'embedding', index: 0, embedding })

describeOnPostgres('embeddings', getDatabase => {
  const upstream = useStandInUpstream({})
  const site = () => startSite({ database: getDatabase(), upstream })
  const jsonOf = async (reply: Awaited<ReturnType<typeof embed>>) => responseTo(reply).json()
  const read = (fields: object) => async (running: ReturnType<typeof site>) =>
    jsonOf(await embed(running, await createCustomer(running.ledger, 1), { body: { ...fields } }))

  test('of a model of another kind are refused before anything is held', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const refused = embed(running, customer, { body: { model: 'standin/small' } })
    await expect(refused).rejects.toMatchObject({ code: 'model_not_found', param: 'model' })
    expect(upstream.requests.filter(({ path }) => path === '/embeddings')).toEqual([])
  })

  test('are made by an OpenAI model named without its maker', async () => {
    const id = 'openai/text-embedding-3-small'
    upstream.setModels([standInModel({ id, prompt: '0.00000002', completion: '0', output: ['embeddings'] })])
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await embed(running, customer, { body: { model: 'text-embedding-3-small' } })
    expect((await upstream.requestTo('/embeddings')).body).toMatchObject({ model: id })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ modelId: id })
    upstream.setModels(STAND_IN_MODELS)
  })

  test('are charged by the upstream’s token count, up to what is possible', async () => {
    upstream.setScript({
      embeddings: { usage: { mode: 'value', value: { prompt_tokens: 9, total_tokens: 9 } } },
    })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    expect((await jsonOf(await embed(running, customer))).usage).toEqual({
      prompt_tokens: 9,
      total_tokens: 9,
      cost: 0.00000018,
      balance_usd: 0.99999982,
    })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      queryType: 'embedding',
      chargedNano: 9n * TOKEN_NANO,
      inputTokenCount: 9,
      outputTokenCount: 0,
      costBasis: 'upstream_tokens',
    })
    upstream.setScript({ embeddings: { usage: { mode: 'value', value: { prompt_tokens: 90_000 } } } })
    const other = await createCustomer(running.ledger, 1)
    await embed(running, other)
    const usage = await waitForUsage(running.ledger, other)
    expect(usage.chargedNano).toBe(usage.heldNano)
    expect(running.reports).toContainEqual(expect.stringContaining('usage that is impossible'))
  })

  test.each<[string, Answer]>([
    ['tells none', { usage: { mode: 'absent' } }],
    ['tells too few to be true', { usage: { mode: 'value', value: { prompt_tokens: 1 } } }],
  ])('are charged by our own count if the upstream %s', async (_, answer) => {
    upstream.setScript({ embeddings: answer })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const body = { input: 'Rain came late, and ships were few. '.repeat(20) }
    expect((await jsonOf(await embed(running, customer, { body }))).usage).toMatchObject({ estimated: true })
    const { chargedNano, heldNano } = await waitForUsage(running.ledger, customer)
    expect(chargedNano).toBeGreaterThan(150n * TOKEN_NANO)
    expect(chargedNano).toBeLessThan(heldNano / 2n)
  })

  test('cost what the upstream reports, with the markup', async () => {
    upstream.setScript({ embeddings: { costUsd: 0.002 } })
    const running = startSite({
      database: getDatabase(),
      upstream,
      priceMarkup: parseDecimal('0.5') ?? undefined,
    })
    const customer = await createCustomer(running.ledger, 1)
    const { usage } = await jsonOf(
      await embed(running, customer, { body: { input: 'a'.repeat(200_000), dimensions: 3 } }),
    )
    expect(usage.cost).toBe(0.003)
  })

  test('have the requested encoding, whichever one the upstream sends', async () => {
    const base64 = Buffer.from(Float32Array.from([0.5, -2]).buffer).toString('base64')
    const numbers: Answer = { body: { data: [vector(0.5, -2)] } }
    const packed: Answer = { body: { error: '', data: [{ index: 0, embedding: base64 }] } }
    for (const [answer, format, expected] of [
      [numbers, 'base64', base64],
      [packed, 'base64', base64],
      [numbers, 'float', [0.5, -2]],
      [packed, undefined, [0.5, -2]],
    ] as const) {
      upstream.setScript({ embeddings: answer })
      const { data } = await read({ encoding_format: format })(site())
      expect(data).toEqual([{ object: 'embedding', index: 0, embedding: expected }])
    }
  })

  test.each([
    ['https://api.openai.com/v1', 2_048, 'base64'],
    ['https://openrouter.ai/api/v1', 2_048, 'base64'],
    ['https://openrouter.ai/api/v1', 1, 'float'],
    ['http://127.0.0.1:11434/v1', 2_048, 'float'],
  ])(
    'are requested from %s, for %i texts, as %s, so that the answer stays below the read limit',
    async (baseUrl, count, format) => {
      const asked = { model: 'standin/embedder', input: Array.from({ length: count }, () => 'coin') }
      const request = { ...asked, encoding_format: 'float', dimensions: 3_072 }
      const { callFor, boundNano } = await site().kinds.embeddings.quote({
        body: Buffer.from(JSON.stringify(request)),
        json: async () => request,
        contentType: 'application/json',
        keyRouting: null,
      })
      const { body } = await callFor(boundNano).requestTo({
        ...standInSettings({ baseUrl }, 'host'),
        apiKey: null,
      })
      const sent = JSON.parse(String(body))
      expect(sent).toMatchObject({ ...asked, encoding_format: format })
      // Only a router chooses a host, whose price must be limited.
      const limited = { max_price: expect.objectContaining({ prompt: expect.any(Number) }) }
      expect(sent.provider).toEqual(baseUrl.includes('openrouter') ? limited : undefined)
    },
  )

  test('of many texts are written without blocking the event loop', async () => {
    const long = Array.from({ length: 60 }, () => Array.from({ length: 1_024 }, (_, index) => index / 8))
    let isTurnOver = false
    setImmediate(() => {
      isTurnOver = true
    })
    const written = await writeAnswer(long, { encoding_format: 'float' }, { model: 'm' })
    expect(isTurnOver).toBe(true)
    const data = long.map((embedding, index) => ({ object: 'embedding', index, embedding }))
    expect(JSON.parse(written.toString())).toEqual({ object: 'list', data, model: 'm' })
  })

  test('are in the order of their texts, whatever their order in the upstream’s answer', async () => {
    upstream.setScript({ embeddings: { body: { data: [{ ...vector(2), index: 1 }, vector(1)] } } })
    const { data } = await read({ input: ['a', 'b'] })(site())
    expect(data).toEqual([vector(1), { ...vector(2), index: 1 }])
  })

  test.each<[string, unknown]>([
    ['too few', [vector(1)]],
    ['the same twice', [vector(1), vector(2)]],
    ['too many', [vector(1), { ...vector(2), index: 1 }, { ...vector(3), index: 2 }]],
    ['no numbers', [vector(1), { index: 1, embedding: ['1'] }]],
    ['nothing', []],
    ['a number of three bytes', [vector(1), { index: 1, embedding: 'AAAA' }]],
    ['one number and a bit', [vector(1), { index: 1, embedding: 'AACAPwA=' }]],
    ['no base64', [vector(1), { index: 1, embedding: 'no vector, words' }]],
  ])('of which the upstream sends %s are an error that costs nothing', async (_, data) => {
    upstream.setScript({ embeddings: { body: { data } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const broken = embed(running, customer, { body: { input: ['a', 'b'] } })
    await expect(broken).rejects.toMatchObject({ status: 502 })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: 0n })
  })

  test('are made if the balance covers their probable price, and refused below', async () => {
    const running = site()
    const body = { input: 'Rain came late, and ships were few. '.repeat(50) }
    const enough = await createCustomerWithNano(running.ledger, 1_000n * TOKEN_NANO)
    await embed(running, enough, { body })
    expect((await waitForUsage(running.ledger, enough)).heldNano).toBeLessThanOrEqual(1_000n * TOKEN_NANO)
    const poor = await createCustomerWithNano(running.ledger, 200n * TOKEN_NANO)
    await expect(embed(running, poor, { body })).rejects.toMatchObject({ status: 402 })
  })

  test('that need much memory wait for each other, and do not delay small ones', async () => {
    const isLarge = ({ body }: RecordedRequest) => isObject(body) && body.dimensions !== undefined
    const input = Array.from({ length: 64 }, () => 'coin')
    const data = input.map((_, index) => ({ ...vector(1), index }))
    const gate: Answer = { beforeHeaders: [{ type: 'gate', name: 'large' }], body: { data } }
    upstream.setScript({ embeddings: request => (isLarge(request) ? gate : {}) })
    const running = site()
    const [first, second, third] = [
      await createCustomer(running.ledger, 1),
      await createCustomer(running.ledger, 1),
      await createCustomer(running.ledger, 1),
    ]
    const body = { input, dimensions: 65_536 }
    const largeCount = () => upstream.requests.filter(isLarge).length
    const made = embed(running, first, { body }).then(jsonOf)
    await upstream.gates.reached('large')
    const waiting = embed(running, second, { body }).then(jsonOf)
    const client = new AbortController()
    const left = embed(running, third, { body, signal: client.signal })
    await jsonOf(await embed(running, first))
    expect(largeCount()).toBe(1)
    client.abort()
    await expect(left).rejects.toMatchObject({ code: 'conflict' })
    expect(await onlyUsage(running.ledger, third)).toMatchObject({ chargedNano: 0n, status: 'disconnected' })
    upstream.gates.open('large')
    expect(await waiting).toMatchObject({ data: (await made).data })
    expect(largeCount()).toBe(2)
  })

  test('that take all the memory do not block a repeated answer', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => index / 7)
    const gate: Answer = { beforeHeaders: [{ type: 'gate', name: 'large' }], body: { data: [] } }
    upstream.setScript({
      embeddings: ({ body }) =>
        isObject(body) && body.dimensions !== undefined
          ? gate
          : { body: { data: [{ object: 'embedding', index: 0, embedding: long }] } },
    })
    const running = site()
    const [reader, other] = [await createCustomer(running.ledger, 1), await createCustomer(running.ledger, 1)]
    const again = () => embed(running, reader, { idempotencyKey: 'again' }).then(jsonOf)
    const first = await again()
    const input = Array.from({ length: 64 }, () => 'coin')
    const making = embed(running, other, { body: { input, dimensions: 65_536 } })
    const isOver = expect(making).rejects.toMatchObject({ status: 502 })
    await upstream.gates.reached('large')
    expect(await again()).toEqual(first)
    upstream.gates.open('large')
    await isOver
  })

  test('under one idempotency key are made and paid once', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const options = { idempotencyKey: 'once' }
    const [first, second] = await Promise.all([
      embed(running, customer, options).then(jsonOf),
      embed(running, customer, options).then(jsonOf),
    ])
    expect(first).toEqual(second)
    await onlyUsage(running.ledger, customer)
    expect(upstream.requests.filter(({ path }) => path === '/embeddings')).toHaveLength(1)
  })
})
