import { expect, test } from '@jest/globals'
import type { RecordedRequest, Step } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost } from './books'
import { type Caller, readText } from './caller'
import type { BilledSite, HostKind } from './site'

const ANSWER: Step[] = [{ type: 'text', text: 'Ho ', times: 50 }]
/** What the stand-in lists for standin/small, in dollars per million tokens, and three times as much. */
const LISTED = { prompt: 1, completion: 2 }
const DEAR = { prompt: 3, completion: 6 }

const DISCREET: readonly [string, object][] = [
  ['zdr', { zdr: true }],
  ['data_collection', { data_collection: 'deny' }],
]

/** A payer's routing preferences, by request and by key: respected, priced, or refused before a host was asked. */
export function testHostChoices(site: BilledSite, host: HostKind): void {
  const asked = (): RecordedRequest[] =>
    site.upstream.requests.filter(({ path }) => path === '/chat/completions')
  const expectPaid = async () => {
    const books = await site.books()
    expectNoCentLost(books)
    expect(books.lossNano).toBe(0n)
    return books.calls
  }
  const expectRefused = async (reply: Response, status: number, param: string | null) => {
    expect([reply.status, (await reply.json()).error.param]).toEqual([status, param])
    expect(asked()).toEqual([])
    expect((await site.books()).calls).toEqual([])
  }
  const withKey = async (routing: object): Promise<Caller> => {
    const customer = await site.fund(5)
    return customer.createKey(null, { routing })
  }

  test.each(DISCREET)('a request with %s', async (field, provider) => {
    const customer = await site.fund(5)
    const reply = await customer.chat({ provider, max_tokens: 100 })
    if (host === 'plain') return expectRefused(reply, 400, `provider.${field}`)
    expect(reply.status).toBe(200)
    await readText(reply)
    expect(asked()[0]?.body).toMatchObject({ provider })
    await expectPaid()
  })

  test.each(DISCREET)('a key with %s, whatever its requests say', async (field, provider) => {
    const key = await withKey({ provider })
    const loose = { provider: { zdr: false, data_collection: 'allow' }, max_tokens: 100 }
    for (const body of [loose, {}, loose]) {
      const reply = await key.chat(body)
      if (host === 'plain') await expectRefused(reply, 400, `provider.${field}`)
      else expect(reply.status).toBe(200)
      await readText(reply.bodyUsed ? new Response() : reply)
    }
    for (const { body } of asked()) expect(body).toMatchObject({ provider })
    await expectPaid()
  })

  test.each(['/v1/messages', '/v1/responses'])('a key that wants discretion, at %s', async path => {
    const key = await withKey({ provider: { zdr: true } })
    const body = { model: 'standin/small', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }
    const reply = await key.post(
      path,
      path.endsWith('messages') ? body : { model: body.model, max_output_tokens: 50, input: 'Hi' },
    )
    await readText(reply)
    expect(reply.status).toBe(host === 'plain' ? 400 : 200)
    expect(site.upstream.requests.map(request => request.body)).toEqual(
      host === 'plain' ? [] : [expect.objectContaining({ provider: expect.objectContaining({ zdr: true }) })],
    )
  })

  test.each(['/v1/messages', '/v1/responses'])('a request that wants discretion, at %s', async path => {
    const customer = await site.fund(5)
    const provider = { zdr: true }
    const messages = [{ role: 'user', content: 'Hi' }]
    const asked = path.endsWith('messages') ? { max_tokens: 50, messages } : { input: 'Hi' }
    const reply = await customer.post(path, { model: 'standin/small', provider, ...asked })
    await readText(reply)
    expect(reply.status).toBe(host === 'plain' ? 400 : 200)
    for (const { body } of site.upstream.requests) expect(body).toMatchObject({ provider })
  })

  test('a key that wants something of hosts draws and speaks nowhere', async () => {
    for (const provider of [{ zdr: true }, { data_collection: 'deny' }, { max_price: { prompt: '1' } }]) {
      const key = await withKey({ provider })
      await expectRefused(await key.draw(), 403, null)
      await expectRefused(await key.speak(), 403, null)
    }
  })

  test('a key is for the models that it names alone', async () => {
    const key = await withKey({ models: ['standin/small'] })
    await expectRefused(await key.chat({ model: 'standin/large' }), 403, 'model')
    await expectRefused(await key.draw(), 403, 'model')
    await expectRefused(await key.chat({ models: ['standin/small', 'standin/large'] }), 403, 'model')
    const reply = await key.chat({ max_tokens: 50 })
    expect(reply.status).toBe(200)
    await readText(reply)
  })

  test('a request of a key costs no more than the key and it itself allow: it is lowered to that, or refused', async () => {
    const key = await withKey({ max_charge_usd: 0.0004 })
    const reply = await key.chat({ max_tokens: 5_000 })
    expect(reply.status).toBe(200)
    await readText(reply)
    await expectPaid()
    const [call] = (await site.books()).calls
    expect(Number(call?.chargedNano)).toBeLessThanOrEqual(400_000)
    for (const [ownUsd, heldNanoMax] of [
      ['0.0002', 200_000n],
      ['0.01', 400_000n],
    ] as const) {
      await readText(key.chat({ max_tokens: 5_000 }, { headers: { 'x-max-charge-usd': ownUsd } }))
      expect((await site.books()).calls.at(-1)?.heldNano).toBeLessThanOrEqual(heldNanoMax)
    }
    const stingy = await withKey({ max_charge_usd: 0.000000001 })
    const refused = await stingy.chat({ max_tokens: 5_000 })
    expect([refused.status, (await refused.json()).error.code]).toEqual([402, 'price_above_limit'])
  })

  test('a key that is changed counts at once, in both directions', async () => {
    const customer = await site.fund(5)
    const key = await customer.createKey(null, { routing: { provider: { max_price: { prompt: 0.0001 } } } })
    const refusal = host === 'plain' ? 400 : 404
    expect((await key.chat()).status).toBe(refusal)
    expect((await key.chat()).status).toBe(refusal)
    await customer.changeKey(key, { routing: null })
    const reply = await key.chat({ max_tokens: 50 })
    expect(reply.status).toBe(200)
    await readText(reply)
    await customer.changeKey(key, { routing: { provider: { max_price: { prompt: 0.0001 } } } })
    expect((await key.chat()).status).toBe(refusal)
    await expectPaid()
  })

  test.each([
    ['the listed price', LISTED, 200],
    ['a little less', { ...LISTED, completion: 1.99 }, host === 'plain' ? 400 : 404],
    ['more', DEAR, 200],
  ])('max_price: %s', async (_, max_price, status) => {
    const customer = await site.fund(5)
    const reply = await customer.chat({ provider: { max_price }, max_tokens: 100 })
    expect(reply.status).toBe(status)
    await readText(reply)
    await expectPaid()
  })

  test.each([-1, 'much', '-0.1', '1e99', null])('max_price of %j is read or refused', async prompt => {
    const customer = await site.fund(5)
    const reply = await customer.chat({ provider: { max_price: { prompt } }, max_tokens: 50 })
    expect(reply.status).toBe(prompt === null ? 200 : 400)
  })

  test.each([
    ['what the host bills for it', false],
    ['the usual price at a host that has no room for it', true],
  ])('flex costs %s, and is held for at the usual one', async (_, isBusy) => {
    site.upstream.setScript({ chat: { steps: ANSWER } })
    site.upstream.setHost({ isBusy })
    const flexible = { model: 'standin/flexible', max_tokens: 100 }
    const key = await withKey({ service_tier: 'flex' })
    const customer = await site.fund(5)
    await readText(customer.chat(flexible))
    for (const stream of [false, true]) {
      await readText(customer.chat({ ...flexible, stream, service_tier: 'flex' }))
      await readText(key.chat({ ...flexible, stream }))
    }
    const [usual, ...flex] = await expectPaid()
    for (const { heldNano, chargedNano } of flex) {
      expect(heldNano).toBeGreaterThanOrEqual(usual?.heldNano ?? 0n)
      expect(chargedNano * (isBusy ? 1n : 2n)).toBe(usual?.chargedNano)
    }
    // A model listed without such a price is requested as usual.
    await readText(key.chat({ max_tokens: 50 }))
    expect(asked().at(-1)?.body).not.toHaveProperty('service_tier')
    const { data } = await (await fetch(`${site.url}/v1/models`)).json()
    expect(data.find(({ id }: { id: string }) => id === 'standin/flexible').pricing.overrides).toEqual([
      { service_tier: 'flex', prompt: '0.000001', completion: '0.000004' },
    ])
  })

  if (host === 'plain') return

  test('a dear host within max_price is held for and paid', async () => {
    site.upstream.setScript({ chat: { steps: ANSWER } })
    const customer = await site.fund(5)
    const only = { only: ['dear-provider'] }
    // Long answers, so that the length of the question does not matter.
    const ask = async (max_price: object | null, zdr = false) => {
      await readText(customer.chat({ provider: { ...only, zdr, max_price }, max_tokens: 8_000 }))
      return Number((await expectPaid()).at(-1)?.heldNano)
    }
    const listed = await ask(LISTED)
    expect((await ask(null)) / listed).toBeCloseTo(3, 1)
    expect((await ask(DEAR)) / listed).toBeCloseTo(3, 1)
    expect((await ask({ prompt: 2, completion: 4 }, true)) / listed).toBeCloseTo(2, 1)
    // A limit on only one of the two prices limits nothing.
    expect((await ask({ prompt: 2 })) / listed).toBeCloseTo(3, 1)
  })

  test('nothing is searched, or read by others, for who wants discretion', async () => {
    const customer = await site.fund(5)
    const zdr = { provider: { zdr: true } }
    const tools = [{ type: 'openrouter:web_search', parameters: { max_uses: 1 } }]
    await expectRefused(await customer.chat({ ...zdr, model: 'standin/searcher', tools }), 400, 'tools')
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }
    const messages = [{ role: 'user', content: [file] }]
    await expectRefused(await customer.chat({ ...zdr, messages }), 400, 'messages')
  })
}
