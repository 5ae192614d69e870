import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { ReplayStore } from '@/lib/exchange/engine/replay-store'
import { createDatabaseReplayStore } from '@/lib/exchange/engine/replay-store'
import { draw, newResumeKey } from '@/test/support/exchange-calls'
import { readImageAnswer } from '@/test/support/exchange-replies'
import { createCustomer, listUsage, onlyUsage } from '@/test/support/exchange-site'
import { IMAGES_PATH, usePainter } from '@/test/support/stand-in-upstream'
import { resumeNameOf } from '../../engine/request-headers'

const PARALLEL_COUNT = 32
const AT_A_GATE = { images: { beforeHeaders: [{ type: 'gate' as const, name: 'drawing' }] } }

describeOnPostgres('a picture under an idempotency key', getDatabase => {
  const { upstream, site, callCount } = usePainter({}, getDatabase)

  test('is drawn and charged once, however many requests come at the same time', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: PARALLEL_COUNT }, async () => {
        const reply = await draw(running, customer, { idempotencyKey })
        return `${reply.headers['x-exchange-id']} ${JSON.stringify(await readImageAnswer(reply))}`
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(callCount()).toBe(1)
    expect((await onlyUsage(running.ledger, customer)).chargedNano).toBe(40_000_000n)
  })

  test('is the same picture later, also in another process, without a second charge', async () => {
    const [first, second] = [site(), site()]
    const customer = await createCustomer(first.ledger, 1)
    const idempotencyKey = randomUUID()
    const drawn = await draw(first, customer, { idempotencyKey })
    const again = await draw(second, customer, { idempotencyKey })
    expect(again.headers['x-exchange-id']).toBe(drawn.headers['x-exchange-id'])
    expect(await readImageAnswer(again)).toEqual(await readImageAnswer(drawn))
    expect(callCount()).toBe(1)
    expect(await listUsage(first.ledger, customer.accountId)).toHaveLength(1)
  })

  test('that another process has charged but not stored yet is waited for', async () => {
    const replayStore = createDatabaseReplayStore({ database: getDatabase() })
    let lookCount = 0
    const late: ReplayStore = {
      ...replayStore,
      async find(name) {
        lookCount += 1
        return lookCount === 1 ? null : replayStore.find(name)
      },
    }
    const [first, second] = [site(), site({ replayStore: late })]
    const customer = await createCustomer(first.ledger, 1)
    const idempotencyKey = randomUUID()
    const drawn = await draw(first, customer, { idempotencyKey })
    const again = await draw(second, customer, { idempotencyKey })
    expect(await readImageAnswer(again)).toEqual(await readImageAnswer(drawn))
    expect(lookCount).toBe(2)
  })

  test('that another process is drawing is refused with Retry-After', async () => {
    upstream.setScript(AT_A_GATE)
    const [first, second] = [site(), site()]
    const customer = await createCustomer(first.ledger, 1)
    const idempotencyKey = randomUUID()
    const drawing = draw(first, customer, { idempotencyKey })
    await upstream.requestTo(IMAGES_PATH)
    await expect(draw(second, customer, { idempotencyKey })).rejects.toMatchObject({
      status: 409,
      headers: { 'retry-after': '1' },
    })
    upstream.gates.open('drawing')
    await drawing
  })

  test('goes on when its client leaves, and is there when the client comes back', async () => {
    upstream.setScript(AT_A_GATE)
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const client = new AbortController()
    const first = draw(running, customer, { idempotencyKey, signal: client.signal })
    await upstream.requestTo(IMAGES_PATH)
    client.abort()
    const second = draw(running, customer, { idempotencyKey })
    upstream.gates.open('drawing')
    expect(await readImageAnswer(await second)).toEqual(await readImageAnswer(await first))
    expect(callCount()).toBe(1)
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 40_000_000n,
    })
  })

  test('is refused with another body, during the first call and after it', async () => {
    upstream.setScript(AT_A_GATE)
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const other = () => draw(running, customer, { idempotencyKey, body: { prompt: 'Another' } })
    const first = draw(running, customer, { idempotencyKey })
    await upstream.requestTo(IMAGES_PATH)
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_conflict' })
    upstream.gates.open('drawing')
    await first
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(callCount()).toBe(1)
  })

  test('that failed is drawn by the retry, and charged once', async () => {
    upstream.setScript({ images: [{ status: 500, body: {} }, {}] })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    await expect(draw(running, customer, { idempotencyKey })).rejects.toMatchObject({ status: 502 })
    await draw(running, customer, { idempotencyKey })
    const charges = (await listUsage(running.ledger, customer.accountId)).map(
      ({ chargedNano }) => chargedNano,
    )
    expect(charges).toEqual([40_000_000n, 0n])
  })
})

describeOnPostgres('stopping a picture', getDatabase => {
  const { upstream, site } = usePainter(AT_A_GATE, getDatabase)

  test('of another credential is refused as not found', async () => {
    const running = site()
    const [owner, stranger] = [
      await createCustomer(running.ledger, 1),
      await createCustomer(running.ledger, 1),
    ]
    const resumeKey = newResumeKey()
    const drawing = draw(running, owner, { resumeKey })
    await upstream.requestTo(IMAGES_PATH)
    const { credential } = stranger
    const foreign = running.exchanges.stop({ credential, name: resumeNameOf(resumeKey) })
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
    upstream.gates.open('drawing')
    expect((await readImageAnswer(await drawing)).data).toHaveLength(1)
  })

  test('that is being drawn does not stop it: it is finished, charged and stored', async () => {
    const running = site({ limits: { stopWaitMs: 1 } })
    const customer = await createCustomer(running.ledger, 1)
    const { credential } = customer
    const resumeKey = newResumeKey()
    const name = resumeNameOf(resumeKey)
    const drawing = draw(running, customer, { resumeKey })
    const request = await upstream.requestTo(IMAGES_PATH)
    expect(await running.exchanges.stop({ credential, name })).toMatchObject({ isStopped: false })
    upstream.gates.open('drawing')
    const { data } = await readImageAnswer(await drawing)
    expect(await request.ended).toBe('completed')
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 40_000_000n,
    })
    const { signal } = new AbortController()
    const again = await running.exchanges.resume({ credential, name, resumeKey, lastEventId: 0, signal })
    expect((await readImageAnswer(again)).data).toEqual(data)
    const late = running.exchanges.stop({ credential, name })
    await expect(late).rejects.toMatchObject({ code: 'not_found' })
  })
})

describeOnPostgres('the last cent', getDatabase => {
  const { upstream, site, callCount } = usePainter(AT_A_GATE, getDatabase)

  test.each([1, 5])(
    'for exactly %i of 32 parallel pictures pays for no more, and the balance ends at zero',
    async count => {
      const running = site()
      const customer = await createCustomer(running.ledger, 0.04 * count)
      const asked = Array.from({ length: PARALLEL_COUNT }, () => draw(running, customer))
      // The upstream answers only when as many have arrived as can be paid for.
      await upstream.requestTo(IMAGES_PATH, count - 1)
      upstream.gates.open('drawing')
      const results = await Promise.allSettled(asked)
      const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
      expect(refused).toHaveLength(PARALLEL_COUNT - count)
      for (const reason of refused) expect(reason).toMatchObject({ code: 'insufficient_credit', status: 402 })
      expect(callCount()).toBe(count)
      const balance = await running.ledger.getBalance({ credential: customer.credential })
      expect(balance).toMatchObject({ balanceNano: 0n, heldNano: 0n })
    },
  )
})
