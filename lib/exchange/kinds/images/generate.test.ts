import { expect, test } from '@jest/globals'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { describeOnPostgres } from '@/lib/db/testing'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { draw } from '@/test/support/exchange-calls'
import { readImageAnswer } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, standInSettings, waitForUsage } from '@/test/support/exchange-site'
import { IMAGES_PATH, usePainter } from '@/test/support/stand-in-upstream'
import { ANSWER_BYTES_MAX } from '../../domain/exchange-limits'

const PIXEL = { b64_json: 'iVBORw0KGgo=' }

/** What an upstream may answer that is no picture, and what the caller hears. */
const FAULTS: [string, Answer, { code: string; status: number }][] = [
  [
    'refuses the prompt',
    { status: 400, body: { error: { message: 'Not allowed', param: 'prompt' } } },
    { code: 'invalid_request', status: 400 },
  ],
  ['fails', { status: 500, body: { error: { message: 'Oops' } } }, { code: 'upstream_error', status: 502 }],
  ['names an error in a 200', { body: { error: { code: 429 } } }, { code: 'upstream_error', status: 502 }],
  [
    'redirects',
    { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    { code: 'upstream_error', status: 502 },
  ],
  ['answers with garbage', { body: '<html>' }, { code: 'upstream_error', status: 502 }],
  ['answers with no picture', { body: { data: [] } }, { code: 'upstream_error', status: 502 }],
  ['hangs up', { beforeHeaders: [{ type: 'destroy' }] }, { code: 'upstream_error', status: 502 }],
]

describeOnPostgres('pictures', getDatabase => {
  const { upstream, site, callCount } = usePainter({}, getDatabase)

  test('by an unknown model or a chat model are refused before anything is held', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    for (const model of ['nobody/nothing', 'standin/small']) {
      const refused = draw(running, customer, { body: { model } })
      await expect(refused).rejects.toMatchObject({ code: 'model_not_found', status: 404, param: 'model' })
    }
    expect(callCount()).toBe(0)
  })

  test('are drawn by an OpenAI model named without its maker', async () => {
    const id = 'openai/gpt-image-1'
    const prices = { prompt: '0', completion: '0', pricing: { image: '0.04' } }
    upstream.setModels([standInModel({ id, ...prices, output: ['image'] })])
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await draw(running, customer, { body: { model: 'gpt-image-1' } })
    expect((await upstream.requestTo('/images/generations')).body).toMatchObject({ model: id })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ modelId: id })
    upstream.setModels(STAND_IN_MODELS)
  })

  test('say that an address was asked for in vain where models always answer with bytes', async () => {
    const prices = { prompt: '0', completion: '0', pricing: { image: '0.04' }, output: ['image'] }
    const [address, bytes] = ['url', 'b64_json']
    upstream.setModels(['openai/gpt-image-1', 'maker/painter'].map(id => standInModel({ id, ...prices })))
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const ignored = async (model: string, response_format: string | undefined) =>
      (await draw(running, customer, { body: { model, response_format } })).headers['x-ignored-fields']
    expect(await ignored('openai/gpt-image-1', address)).toBe('response_format')
    expect(await ignored('openai/gpt-image-1', bytes)).toBeUndefined()
    expect(await ignored('maker/painter', address)).toBeUndefined()
    upstream.setModels(STAND_IN_MODELS)
  })

  test('that were not sent are not believed to have been read', async () => {
    const id = 'standin/drawer'
    const prices = { prompt: '0.000005', completion: '0', pricing: { image_output: '0.00004' } }
    upstream.setModels([standInModel({ id, ...prices, output: ['image'] })])
    const details = { text_tokens: 5, image_tokens: 15 }
    const value = { input_tokens: 20, output_tokens: 100, input_tokens_details: details }
    upstream.setScript({ images: { usage: { mode: 'value', value } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { usage } = await readImageAnswer(await draw(running, customer, { body: { model: id } }))
    upstream.setModels(STAND_IN_MODELS)
    expect(usage.input_tokens_details).toEqual({ text_tokens: 20, image_tokens: 0 })
  })

  test('above the balance are refused with both amounts and without an upstream request', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0.039)
    await expect(draw(running, customer)).rejects.toMatchObject({
      status: 402,
      details: { required_usd: 0.04, available_usd: 0.039 },
    })
    expect(callCount()).toBe(0)
  })

  test.each(FAULTS)('cost nothing when the upstream %s', async (_, answer, error) => {
    upstream.setScript({ images: answer })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await expect(draw(running, customer)).rejects.toMatchObject(error)
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      queryType: 'image',
      status: 'failed',
      chargedNano: 0n,
    })
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(balance).toMatchObject({ balanceNano: 1_000_000_000n, heldNano: 0n })
  })

  test.each([{ firstByteTimeoutMs: 1 }])('cost nothing when the upstream hangs past %j', async times => {
    upstream.setScript({ images: { beforeHeaders: [{ type: 'hang' }] } })
    const running = site({ times })
    const customer = await createCustomer(running.ledger, 1)
    await expect(draw(running, customer)).rejects.toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect((await onlyUsage(running.ledger, customer)).chargedNano).toBe(0n)
  })

  test('have OpenAI’s shape, with their price and the balance', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await draw(running, customer, { body: { n: 2, style: 'vivid' } })
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const { created, data, usage } = await readImageAnswer(reply)
    expect(created).toBe(1_760_000_000)
    expect(data).toHaveLength(2)
    expect(usage).toMatchObject({ image_count: 2, cost: 0.08, balance_usd: 0.92 })
    // Required there beside the other counts: clients with strict types read no picture without it.
    expect(usage.input_tokens_details).toEqual({ text_tokens: usage.input_tokens, image_tokens: 0 })
    const record = await onlyUsage(running.ledger, customer)
    expect(record).toMatchObject({ holdId: reply.headers['x-exchange-id'], chargedNano: 80_000_000n })
    const { body, headers } = await upstream.requestTo(IMAGES_PATH)
    expect(body).toMatchObject({ model: 'standin/painter', prompt: 'A copper coin', n: 2, style: 'vivid' })
    expect(headers.authorization).toBe('Bearer upstream-secret')
  })

  test('that are fewer than requested are charged by their number, and the others booked as a loss', async () => {
    upstream.setScript({ images: { body: { error: '', data: [PIXEL, {}, PIXEL] } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { data, usage } = await readImageAnswer(await draw(running, customer, { body: { n: 4 } }))
    expect([data.length, usage.cost]).toEqual([2, 0.08])
    const holds = getDatabase().kysely.selectFrom('hold').where('account_id', '=', customer.accountId)
    expect(await holds.select('loss_nano').execute()).toEqual([{ loss_nano: 80_000_000n }])
  })

  test('that are more than requested are passed on and charged up to that number', async () => {
    upstream.setScript({ images: { body: { data: [PIXEL, PIXEL, PIXEL] } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { data, usage } = await readImageAnswer(await draw(running, customer, { body: { n: 2 } }))
    expect([data.length, usage.cost]).toEqual([2, 0.08])
  })

  test('are as many as the balance can pay for', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0.1)
    const { data, usage } = await readImageAnswer(await draw(running, customer, { body: { n: 4 } }))
    expect([data.length, usage.cost, usage.balance_usd]).toEqual([2, 0.08, 0.02])
    expect((await upstream.requestTo(IMAGES_PATH)).body).toMatchObject({ n: 2 })
  })

  test('are never fetched from a URL in an upstream’s answer', async () => {
    const url = `${upstream.baseUrl}/models`
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    // The list of models is asked for before; from here on nothing but the drawing.
    await draw(running, customer)
    upstream.requests.length = 0
    upstream.setScript({ images: { body: { data: [{ url }] } } })
    const { data } = await readImageAnswer(await draw(running, customer))
    expect(data).toEqual([{ url }])
    expect(upstream.requests.map(({ path }) => path)).toEqual([IMAGES_PATH])
  })

  test('come from the next upstream of the model if the first fails', async () => {
    const gone: UpstreamSettings = { ...standInSettings(upstream, 'stand-in'), id: 'gone' }
    const answers: Answer[] = [{ status: 500, body: {} }, { body: { data: [PIXEL] } }]
    upstream.setScript({ images: answers })
    const running = site({
      upstream: undefined,
      moreUpstreams: [gone, standInSettings(upstream, 'stand-in')],
    })
    const customer = await createCustomer(running.ledger, 1)
    await draw(running, customer)
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      upstreamId: 'stand-in',
      chargedNano: 40_000_000n,
    })
  })

  test('are drawn and charged even if the client leaves before they are there', async () => {
    upstream.setScript({ images: { beforeHeaders: [{ type: 'gate', name: 'drawing' }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const client = new AbortController()
    const reply = draw(running, customer, { signal: client.signal })
    const request = await upstream.requestTo(IMAGES_PATH)
    client.abort()
    upstream.gates.open('drawing')
    await reply
    expect(await request.ended).toBe('completed')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 40_000_000n,
    })
  })
})

describeOnPostgres('an upstream’s answer beyond the size limits', getDatabase => {
  const { upstream, site } = usePainter({}, getDatabase)

  test('is refused as a request for too much, and costs nothing', async () => {
    upstream.setScript({
      images: { body: 'x'.repeat(ANSWER_BYTES_MAX + 1), contentType: 'application/json' },
    })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await expect(draw(running, customer)).rejects.toMatchObject({ code: 'invalid_request', status: 422 })
    expect((await onlyUsage(running.ledger, customer)).chargedNano).toBe(0n)
  })

  test('with one large picture within the limit of all is passed on and charged', async () => {
    upstream.setScript({ images: { body: { data: [{ b64_json: 'A'.repeat(40_000_000) }] } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { data } = await readImageAnswer(await draw(running, customer))
    expect(data[0]?.b64_json).toHaveLength(40_000_000)
    expect((await onlyUsage(running.ledger, customer)).chargedNano).toBe(40_000_000n)
  })
})
