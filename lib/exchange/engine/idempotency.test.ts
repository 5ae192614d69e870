import { randomUUID } from 'node:crypto'
import { expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { STAND_IN_MODELS } from '@/test/stand-ins/upstream-models'
import { ask } from '@/test/support/exchange-calls'
import { openReader, readAll, textOf } from '@/test/support/exchange-replies'
import { createCustomer, listUsage, onlyUsage, startSite } from '@/test/support/exchange-site'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'

const PARALLEL_COUNT = 64

describeOnPostgres('an idempotency key', getDatabase => {
  const upstream = useStandInUpstream({
    chat: { steps: [{ type: 'text', text: 'Hi ', times: 5 }], promptTokens: 10 },
  })
  const site = () => startSite({ database: getDatabase(), upstream })
  const callCount = () => upstream.requests.filter(({ path }) => path === '/chat/completions').length

  test.each([true, false])(
    'used by parallel requests (case %#) leads to one hold, one call and the same answer for all',
    async stream => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const idempotencyKey = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: PARALLEL_COUNT }, async () => {
          const reply = await ask(running, customer, { idempotencyKey, body: { stream } })
          return `${reply.headers['x-exchange-id']} ${await readAll(reply)}`
        }),
      )
      expect(new Set(answers).size).toBe(1)
      expect(answers[0]).toContain('balance_usd')
      expect(callCount()).toBe(1)
      expect(await onlyUsage(running.ledger, customer)).toMatchObject({
        status: 'completed',
        chargedNano: 20_000n,
      })
    },
  )

  test('used twice at once in one process reaches the ledger once, without a conflict', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const hold = jest.fn(real.hold)
    const running = startSite({ database: getDatabase(), upstream, ledger: { ...real, hold } })
    const customer = await createCustomer(real, 1)
    const idempotencyKey = randomUUID()
    const twins = [ask(running, customer, { idempotencyKey }), ask(running, customer, { idempotencyKey })]
    const [first, second] = await Promise.all(twins.map(async reply => readAll(await reply)))
    expect(second).toBe(first)
    expect(hold).toHaveBeenCalledTimes(1)
  })

  test('with another body is refused, during the first call and after it', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const other = () => ask(running, customer, { idempotencyKey, body: { temperature: 1 } })
    const first = await ask(running, customer, { idempotencyKey })
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 })
    await readAll(first)
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 })
    expect(callCount()).toBe(1)
  })

  test('repeated later, also in another process, gets the first answer', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const first = await readAll(await ask(running, customer, { idempotencyKey }))
    const again = await readAll(await ask(running, customer, { idempotencyKey }))
    await running.exchanges.drain()
    const elsewhere = await ask(site(), customer, { idempotencyKey })
    expect(elsewhere.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect([again, await readAll(elsewhere)]).toEqual([first, first])
    expect(callCount()).toBe(1)
    expect(await listUsage(running.ledger, customer.accountId)).toHaveLength(1)
  })

  test('repeated after its model was delisted gets the first answer, unless the body differs', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const first = await readAll(await ask(running, customer, { idempotencyKey }))
    await running.exchanges.drain()
    upstream.setModels([])
    try {
      const later = site()
      expect(await readAll(await ask(later, customer, { idempotencyKey }))).toBe(first)
      const refusal = { code: 'model_not_found' }
      const other = ask(later, customer, { idempotencyKey, body: { temperature: 1 } })
      await expect(other).rejects.toMatchObject(refusal)
      const unknown = ask(later, customer, { idempotencyKey: randomUUID() })
      await expect(unknown).rejects.toMatchObject(refusal)
      // Nothing was held to find that out, however rich its asker.
      const rich = await createCustomer(later.ledger, 1_000_000)
      await expect(ask(later, rich, { idempotencyKey: randomUUID() })).rejects.toMatchObject(refusal)
      const balance = await later.ledger.getBalance({ credential: rich.credential })
      expect(balance?.heldNano).toBe(0n)
    } finally {
      upstream.setModels(STAND_IN_MODELS)
    }
    expect(callCount()).toBe(1)
  })

  test('that another process is answering is refused with Retry-After', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    upstream.setScript({
      chat: {
        steps: [
          { type: 'text', text: 'Hi' },
          { type: 'gate', name: 'mid' },
        ],
      },
    })
    const first = await ask(running, customer, { idempotencyKey })
    await expect(ask(site(), customer, { idempotencyKey })).rejects.toMatchObject({
      code: 'conflict',
      status: 409,
      headers: { 'retry-after': '1' },
    })
    upstream.gates.open('mid')
    await readAll(first)
  })

  test('of a failed attempt can be used again, and is charged once', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    upstream.setScript({ chat: [{ status: 500, body: {} }, { status: 500, body: {} }, { promptTokens: 10 }] })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(ask(running, customer, { idempotencyKey })).rejects.toMatchObject({ status: 502 })
    }
    const retries = await Promise.all(
      Array.from({ length: 8 }, async () => readAll(await ask(running, customer, { idempotencyKey }))),
    )
    expect(new Set(retries).size).toBe(1)
    expect(textOf(retries[0] ?? '')).toBe('Hello.')
    const usage = await listUsage(running.ledger, customer.accountId)
    expect(usage.map(({ status }) => status).sort()).toEqual(['completed', 'failed', 'failed'])
    expect(callCount()).toBe(3)
  })

  test('of an invalid request gets the same refusal again, without another call', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    upstream.setScript({ chat: { status: 400, body: { error: { message: 'bad tool', param: 'tools' } } } })
    const refusal = { status: 400, message: 'bad tool', param: 'tools' }
    await expect(ask(running, customer, { idempotencyKey })).rejects.toMatchObject(refusal)
    await running.exchanges.drain()
    const again = await ask(site(), customer, { idempotencyKey })
    expect(again.status).toBe(400)
    expect(JSON.parse(await readAll(again))).toMatchObject({ error: { message: 'bad tool', param: 'tools' } })
    expect(callCount()).toBe(1)
  })

  test('repeated after the price has risen above its limit gets the first answer, while a new key is refused', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const first = await readAll(await ask(running, customer, { idempotencyKey }))
    await running.exchanges.drain()
    const later = site()
    expect(await readAll(await ask(later, customer, { idempotencyKey, maxChargeNano: 1n }))).toBe(first)
    const refusal = { code: 'price_above_limit' }
    const unknown = ask(later, customer, { idempotencyKey: randomUUID(), maxChargeNano: 1n })
    await expect(unknown).rejects.toMatchObject(refusal)
    const other = ask(later, customer, { idempotencyKey, maxChargeNano: 1n, body: { temperature: 1 } })
    await expect(other).rejects.toMatchObject(refusal)
    expect(callCount()).toBe(1)
  })

  test('refused for lack of credit works after a top-up', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0)
    const idempotencyKey = randomUUID()
    await expect(ask(running, customer, { idempotencyKey })).rejects.toMatchObject({ status: 402 })
    const { accountId } = customer
    const reference = randomUUID()
    await running.ledger.credit({ accountId, amountNano: 10n ** 9n, source: 'gateway', reference, memo: {} })
    expect(textOf(await readAll(await ask(running, customer, { idempotencyKey })))).toBe('Hi Hi Hi Hi Hi ')
  })

  test('of a free answer is not counted again when repeated, except after a failure or with another body', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 0)
    const takeFree = jest.fn(async () => {})
    const body = { model: 'standin/free' }
    const key = { idempotencyKey: randomUUID(), takeFree }
    upstream.setScript({ chat: [{ status: 500, body: {} }, { promptTokens: 10 }] })
    await expect(ask(running, customer, { ...key, body })).rejects.toMatchObject({ status: 502 })
    const first = await readAll(await ask(running, customer, { ...key, body }))
    expect(takeFree).toHaveBeenCalledTimes(2)
    await running.exchanges.drain()
    expect(await readAll(await ask(site(), customer, { ...key, body }))).toBe(first)
    expect(takeFree).toHaveBeenCalledTimes(2)
    const other = ask(site(), customer, { ...key, body: { ...body, temperature: 1 } })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(takeFree).toHaveBeenCalledTimes(3)
    expect(callCount()).toBe(2)
  })

  test('of another credential is a different key', async () => {
    const running = site()
    const [one, other] = [await createCustomer(running.ledger, 1), await createCustomer(running.ledger, 1)]
    const idempotencyKey = 'order-1'
    await Promise.all([one, other].map(async who => readAll(await ask(running, who, { idempotencyKey }))))
    expect(callCount()).toBe(2)
  })

  test('keeps the answer running while one reader stays, and stops it when the last one leaves', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    upstream.setScript({
      chat: {
        steps: [
          { type: 'text', text: 'Hi' },
          { type: 'gate', name: 'a' },
          { type: 'text', text: 'Ho' },
          { type: 'hang' },
        ],
      },
      generation: NO_RECORD,
    })
    const [first, second] = [
      openReader(await ask(running, customer, { idempotencyKey })),
      openReader(await ask(running, customer, { idempotencyKey })),
    ]
    await first.readUntil('Hi')
    await first.leave()
    upstream.gates.open('a')
    await second.readUntil('Ho')
    await second.leave()
    expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('aborted')
    await running.exchanges.drain()
    // Whoever comes back does not take what came until then for a whole answer.
    const kept = await readAll(await ask(site(), customer, { idempotencyKey }))
    expect(textOf(kept)).toBe('HiHo')
    expect(kept).toContain('"code":"conflict"')
    expect(kept).not.toContain('[DONE]')
  })
})
