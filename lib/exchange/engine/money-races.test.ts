import { expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Checkpoint } from '@/lib/ledger/domain/holds'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { askDatabase } from '@/lib/ledger/server/ask-database'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { holdInput } from '@/lib/ledger/testing'
import { metrics } from '@/lib/observability/metrics'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { ask, ownCount } from '@/test/support/exchange-calls'
import { openReader, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  createCustomerWithNano,
  listUsage,
  onlyUsage,
  startSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'
import { EXCHANGE_LIMITS } from '../domain/exchange-limits'
import { placeHold } from './holds'

const SESSION_COUNT = 64
const HALF_AN_ANSWER: Answer = {
  steps: [
    { type: 'text', text: 'Hi' },
    { type: 'gate', name: 'mid' },
  ],
  promptTokens: 10,
}

describeOnPostgres('money', getDatabase => {
  const upstream = useStandInUpstream({ chat: HALF_AN_ANSWER, generation: NO_RECORD })
  const site = (ledger?: Ledger) => startSite({ database: getDatabase(), upstream, ledger })
  const failing = (times: number, changes: (real: Ledger) => Partial<Ledger>): Ledger => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let left = times
    const changed = changes({
      ...real,
      settle: async input => {
        left -= 1
        if (left >= 0) throw new Error('the database is away')
        return real.settle(input)
      },
    })
    return { ...real, ...changed }
  }

  test.each([1, 5, 20])(
    'for exactly %i of 64 parallel calls pays for no more, and never goes below zero',
    async count => {
      const running = site()
      // Priced by the request alone, so that a session costs exactly its hold.
      const body = { model: 'standin/per-request' }
      const customer = await createCustomerWithNano(running.ledger, 2_000_000n * BigInt(count))
      const sessions = Array.from({ length: SESSION_COUNT }, () => ask(running, customer, { body }))
      const begun = await Promise.allSettled(sessions)
      const refused = begun.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
      expect(refused).toHaveLength(SESSION_COUNT - count)
      for (const reason of refused) expect(reason).toMatchObject({ code: 'insufficient_credit', status: 402 })
      upstream.gates.open('mid')
      await Promise.all(
        begun.map(async result => (result.status === 'fulfilled' ? readAll(result.value) : null)),
      )
      const balance = await running.ledger.getBalance({ credential: customer.credential })
      expect(balance).toMatchObject({ balanceNano: 0n, heldNano: 0n, availableNano: 0n })
      expect(await listUsage(running.ledger, customer.accountId)).toHaveLength(count)
    },
  )

  test('is settled once when the end, a stop, a disconnect and the sweeper race', async () => {
    const running = site()
    const customers = await Promise.all(Array.from({ length: 12 }, () => createCustomer(running.ledger, 1)))
    await Promise.all(
      customers.map(async (customer, index) => {
        const client = new AbortController()
        const reply = await ask(running, customer, { signal: client.signal })
        const reader = openReader(reply)
        await reader.readUntil('Hi')
        const name = reply.headers['x-exchange-id'] ?? ''
        const finishers = [
          () => upstream.gates.open('mid'),
          () => running.exchanges.stop({ credential: customer.credential, name }).catch(() => {}),
          () => client.abort(),
          () => reader.leave(),
          () => running.ledger.sweep({ holdCountMax: 100 }),
        ]
        // Every pair of finishers, in either order.
        const [one, other] = [finishers[index % 5], finishers[(index * 2 + 1) % 5]]
        await Promise.all([one?.(), other?.(), finishers[2]?.()])
        const usage = await waitForUsage(running.ledger, customer)
        const balance = await running.ledger.getBalance({ credential: customer.credential })
        expect(balance?.heldNano).toBe(0n)
        expect(balance?.balanceNano).toBe(1_000_000_000n - usage.chargedNano)
        expect([9_000n, 12_000n]).toContain(usage.chargedNano)
      }),
    )
  })

  test('stays held while a stream outlasts the hold’s lifetime, because the hold is renewed', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const renewed = Promise.withResolvers<void>()
    let isOutlasted = false
    const ledger: Ledger = {
      ...real,
      async renew(input) {
        const isLater = isOutlasted
        const result = await real.renew(input)
        if (isLater) renewed.resolve()
        return result
      },
    }
    const limits = { holdRenewalIntervalMs: 20 }
    const running = startSite({ database: getDatabase(), upstream, ledger, limits })
    const customer = await createCustomer(ledger, 1)
    const reply = await ask(running, customer)
    const holdId = reply.headers['x-exchange-id'] ?? ''
    await sql`update hold set expires_at = now() where id = ${holdId}`.execute(getDatabase().kysely)
    isOutlasted = true
    await renewed.promise
    const swept = await ledger.sweep({ holdCountMax: 1_000 })
    expect(swept.releasedHoldIds).not.toContain(holdId)
    upstream.gates.open('mid')
    await readAll(reply)
    expect(await onlyUsage(ledger, customer)).toMatchObject({ status: 'completed', chargedNano: 12_000n })
  })

  test('whose hold was released ends the stream that it was held for', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let isGivenBack = false
    const ledger: Ledger = { ...real, renew: async () => ({ renewed: !isGivenBack }) }
    const running = startSite({
      database: getDatabase(),
      upstream,
      ledger,
      limits: { holdRenewalIntervalMs: 5 },
    })
    const customer = await createCustomer(ledger, 1)
    const reply = await ask(running, customer)
    isGivenBack = true
    expect(await readAll(reply)).toContain('ledger_unavailable')
    expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('aborted')
  })

  /** A process that dies after its first checkpoint of which this is true. */
  function dying(isLast: (checkpoint: Checkpoint) => boolean) {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const kept = Promise.withResolvers<void>()
    const nobody = new Promise<never>(() => {})
    let isDead = false
    const ledger: Ledger = {
      ...real,
      async renew(input) {
        if (isDead) return nobody
        isDead = input.checkpoint !== null && isLast(input.checkpoint)
        const result = await real.renew(input)
        if (isDead) kept.resolve()
        return result
      },
      // Nobody is there any more to end it.
      settle: () => nobody,
      release: () => nobody,
    }
    const limits = { holdRenewalIntervalMs: 20, holdTtlSeconds: 1, settleWaitMs: 1 }
    const running = startSite({ database: getDatabase(), upstream, ledger, limits })
    return { real, running, kept: kept.promise }
  }

  test.each([true, false])(
    'that is billed for an answer of which nothing had come when its process died is a known loss, stream %s',
    async stream => {
      const { real, running, kept } = dying(() => true)
      const customer = await createCustomer(real, 1)
      upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'never' }] } })
      const reply = ask(running, customer, { body: { stream } }).then(readAll)
      await upstream.gates.reached('never')
      await kept
      const holds = getDatabase().kysely.selectFrom('hold').where('account_id', '=', customer.accountId)
      const { id } = await holds.select('id').executeTakeFirstOrThrow()
      await sql`update hold set expires_at = now() where id = ${id}`.execute(getDatabase().kysely)
      await real.sweep({ holdCountMax: 1_000 })
      expect(await onlyUsage(real, customer)).toMatchObject({ status: 'expired', chargedNano: 0n })
      const { chargedNano: promptNano } = await ownCount('')
      expect(await holds.select(['state', 'loss_nano']).execute()).toEqual([
        { state: 'released', loss_nano: promptNano },
      ])
      upstream.gates.open('never')
      await reply
    },
  )

  test('is charged by the last checkpoint when its process died', async () => {
    const { real, running, kept } = dying(({ costNano }) => costNano > 0n)
    const customer = await createCustomer(real, 1)
    upstream.setScript({ chat: { ...HALF_AN_ANSWER, reportedModel: 'standin/large' }, generation: NO_RECORD })
    const reply = await ask(running, customer, { body: { models: ['standin/large'] } })
    await kept
    const holdId = reply.headers['x-exchange-id'] ?? ''
    await sql`update hold set expires_at = now() where id = ${holdId}`.execute(getDatabase().kysely)
    await real.sweep({ holdCountMax: 1_000 })
    const usage = await onlyUsage(real, customer)
    expect(usage).toMatchObject({ status: 'expired', estimated: true, holdId })
    // Its receipt says that another model's prices apply.
    expect(usage.pricedAs).toEqual({ isOtherModel: true, serviceTier: null })
    expect(usage.inputTokenCount).toBeGreaterThan(0)
    expect(usage.chargedNano).toBeGreaterThan(0n)
    upstream.gates.open('mid')
    await readAll(reply)
  })

  test('is settled by a later attempt after a database outage', async () => {
    upstream.gates.open('mid')
    const running = site(failing(2, real => ({ settle: real.settle })))
    const customer = await createCustomer(running.ledger, 1)
    const stream = await readAll(await ask(running, customer))
    expect(usageOf(stream)).toMatchObject({ cost: 0.000012, balance_usd: 0.999988 })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ chargedNano: 12_000n })
  })

  test('is settled before the process ends after a database outage', async () => {
    upstream.gates.open('mid')
    const ledger = failing(2, real => ({ settle: real.settle }))
    const limits = { settleWaitMs: 1, settleRetryDelaysMs: [200, 200] }
    const running = startSite({ database: getDatabase(), upstream, ledger, limits })
    const customer = await createCustomer(running.ledger, 1)
    await readAll(await ask(running, customer))
    await running.exchanges.drain()
    expect(await running.ledger.getBalance({ credential: customer.credential })).toMatchObject({
      heldNano: 0n,
    })
  })

  test('is reported to the operator if the process ends before the database is back', async () => {
    upstream.gates.open('mid')
    const ledger = failing(1_000, real => ({ settle: real.settle }))
    const limits = { settleWaitMs: 1, settleRetryDelaysMs: [60_000], drainTimeoutMs: 1 }
    const running = startSite({ database: getDatabase(), upstream, ledger, limits })
    const customer = await createCustomer(running.ledger, 1)
    await readAll(await ask(running, customer))
    expect(running.reports).toEqual([])
    await running.exchanges.drain()
    expect(running.reports).toEqual([expect.stringMatching(/^operator loss: up to 0\.000012 USD /)])
  })

  test('is left to the sweeper if the database stays away, and the answer is still complete', async () => {
    upstream.gates.open('mid')
    const running = site(failing(1_000, real => ({ settle: real.settle })))
    const customer = await createCustomer(running.ledger, 1)
    const stream = await readAll(await ask(running, customer))
    expect(textOf(stream)).toBe('Hi')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(usageOf(stream)).toMatchObject({ cost: 0.000012 })
    expect(usageOf(stream)).not.toHaveProperty('balance_usd')
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(balance?.heldNano).toBeGreaterThan(0n)
  })

  test('that an answer costs after its hold was swept is booked as a loss, and reported to the operator', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await ask(running, customer)
    const reader = openReader(reply)
    await reader.readUntil('Hi')
    const holdId = reply.headers['x-exchange-id'] ?? ''
    await sql`update hold set expires_at = now() where id = ${holdId}`.execute(getDatabase().kysely)
    await running.ledger.sweep({ holdCountMax: 1_000 })
    const lossUsd = async () => (await metrics.lossUsd.get()).values[0]?.value ?? 0
    const lossUsdBefore = await lossUsd()
    upstream.gates.open('mid')
    await reader.readUntil('[DONE]')
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'expired', chargedNano: 0n })
    expect((await lossUsd()) - lossUsdBefore).toBeCloseTo(0.000012, 9)
    expect(running.reports).toEqual([expect.stringMatching(/^operator loss: 0\.000012 USD .* not charged/)])
    const { rows } = await sql`select state, loss_nano from hold where id = ${holdId}`.execute(
      getDatabase().kysely,
    )
    expect(rows).toEqual([{ state: 'released', loss_nano: 12_000n }])
  })

  test('is retried throughout a long outage, and soon after it', () => {
    const { settleRetryDelaysMs, holdTtlSeconds, holdRenewalIntervalMs } = EXCHANGE_LIMITS
    const leastLifeMs = holdTtlSeconds * 1_000 - holdRenewalIntervalMs
    const triedMs = settleRetryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0)
    expect(triedMs).toBeGreaterThan(600_000)
    // A database that is back is asked before a sweep is.
    expect(Math.max(...settleRetryDelaysMs)).toBeLessThan(leastLifeMs / 4)
  })

  test('is refused as insufficient for a bound above the largest amount', async () => {
    const { ledger } = site()
    const { credential } = await createCustomerWithNano(ledger, 100n)
    await expect(placeHold(ledger, holdInput(credential, 10n ** 30n))).rejects.toMatchObject({
      code: 'insufficient_credit',
      details: { required_usd: 1_000_000 },
    })
  })

  test('is not held during a database outage, and no upstream is called', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const customer = await createCustomer(real, 1)
    const running = site({ ...real, hold: async () => Promise.reject(new Error('the database is away')) })
    await expect(ask(running, customer)).rejects.toMatchObject({ code: 'ledger_unavailable', status: 503 })
    expect(upstream.requests.filter(({ path }) => path === '/chat/completions')).toEqual([])
  })

  test('is not denied while the ledger is away, whose failure is logged with its cause', async () => {
    upstream.gates.open('mid')
    const real = createEmbeddedLedger({ database: getDatabase() })
    const customer = await createCustomer(real, 1)
    let isAway = false
    const getBalance: Ledger['getBalance'] = async input => {
      if (isAway) await askDatabase(() => Promise.reject(new Error('permission denied for table account')))
      return real.getBalance(input)
    }
    const running = site({ ...real, getBalance })
    const reply = await ask(running, customer)
    await readAll(reply)
    isAway = true
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { credential } = customer
    const stop = running.exchanges.stop({ credential, name: reply.headers['x-exchange-id'] ?? '' })
    await expect(stop).rejects.toMatchObject({
      code: 'ledger_unavailable',
      message: expect.not.stringContaining('Nothing was charged'),
    })
    const lines = said.mock.calls.join('')
    said.mockRestore()
    expect(lines).toContain('permission denied for table account')
  })

  test('beyond the hold is the operator’s loss, even if more is available', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }], costUsd: 0.05 } })
    const running = site()
    const customer = await createCustomer(running.ledger, 0.03)
    const stream = await readAll(await ask(running, customer, { body: { max_tokens: 100 } }))
    const { heldNano, chargedNano } = await onlyUsage(running.ledger, customer)
    expect(chargedNano).toBe(heldNano)
    expect(usageOf(stream).cost).toBe(Number(heldNano) / 1e9)
    expect(running.reports).toEqual([expect.stringContaining('operator loss')])
  })

  test('beyond the hold is not told to have been charged while the ledger is away, which will not', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }], costUsd: 0.05 } })
    const running = site(failing(1_000, real => ({ settle: real.settle })))
    const customer = await createCustomer(running.ledger, 0.03)
    const stream = await readAll(await ask(running, customer, { body: { max_tokens: 100 } }))
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(usageOf(stream).cost).toBe(Number(balance?.heldNano) / 1e9)
  })
})
