import { beforeAll, describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import type { Nano } from '@/lib/money/nano'
import type { SettleResult } from '../domain/holds'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'
import { endExpired } from './holds'
import { createLedgerContext } from './ledger-context'
import { untilWaiting } from './model/stepped-races'

const UNKNOWN_HOLD_ID = '00000000-0000-4000-8000-00000000ffff'
const SWEEP = { holdCountMax: 1_000 }

describeOnPostgres('ending a hold', (getDatabase, getUrl) => {
  /** Two servers with their own batches, so that parallel ends of a hold meet in the database. */
  let ledger: Ledger
  let rival: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    rival = createEmbeddedLedger({ database: getDatabase() })
  })

  const expire = (holdId: string) =>
    getDatabase().kysely.executeQuery(
      CompiledQuery.raw(`update hold set expires_at = now() - interval '1 second' where id = '${holdId}'`),
    )
  const booksBalance = async () =>
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])

  test.each([UNKNOWN_HOLD_ID, 'not an id', ''])('the unknown id %j is reported as such', async holdId => {
    expect(await ledger.settle({ holdId, costNano: 1n, usage: USAGE })).toEqual({ outcome: 'unknown_hold' })
    expect(await ledger.release({ holdId, usage: USAGE })).toEqual({ outcome: 'unknown_hold' })
    expect(await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: null })).toEqual({ renewed: false })
  })

  test.each([-1n, 10n ** 15n + 1n])('a cost or a loss of %s is refused as invalid input', async nano => {
    const { credential } = await createFundedAccount(ledger, 10n)
    const holdId = await openHold(ledger, credential, 5n)
    const ends = [
      ledger.settle({ holdId, costNano: nano, usage: USAGE }),
      ledger.settle({ holdId, costNano: 1n, absorbedNano: nano, usage: USAGE }),
      ledger.release({ holdId, absorbedNano: nano, usage: USAGE }),
    ]
    for (const end of ends) await expect(end).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 5n })
  })

  test('a cost below the hold is charged, and the rest is available again', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    expect(await ledger.settle({ holdId, costNano: 30n, usage: USAGE })).toEqual({
      outcome: 'resolved',
      chargedNano: 30n,
      lossNano: 0n,
      balanceNano: 70n,
    })
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 0n, availableNano: 70n })
  })

  test('a cost above the hold is charged up to the hold, whatever else is available', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const key = await createTestKey(ledger, { accountId, usageLimitNano: 40n })
    for (const spender of [credential, key.credential]) {
      const holdId = await openHold(ledger, spender, 30n)
      expect(await ledger.settle({ holdId, costNano: 95n, usage: USAGE })).toMatchObject({
        outcome: 'resolved',
        chargedNano: 30n,
        lossNano: 65n,
      })
    }
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 40n, heldNano: 0n })
    await booksBalance()
  })

  test('a cost of zero makes no transfer', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    expect(await ledger.settle({ holdId, costNano: 0n, usage: USAGE })).toMatchObject({
      outcome: 'resolved',
      chargedNano: 0n,
      balanceNano: 100n,
    })
    const transfers = await getDatabase()
      .kysely.selectFrom('transfer')
      .where('debit_account_id', '=', accountId)
      .selectAll()
      .execute()
    expect(transfers).toEqual([])
  })

  test('a repeated settlement returns the first one’s charge', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    await ledger.settle({ holdId, costNano: 30n, usage: USAGE })
    const repeated = { outcome: 'already_resolved', state: 'settled', chargedNano: 30n, balanceNano: 70n }
    expect(await ledger.settle({ holdId, costNano: 50n, usage: USAGE })).toEqual(repeated)
    expect(await ledger.release({ holdId, usage: USAGE })).toEqual(repeated)
  })

  test('only the first of two ends of one hold in the same batch counts, even without a transfer', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 40n)
    await openHold(ledger, credential, 50n)
    const release = () => ledger.release({ holdId, usage: USAGE })
    const ended = await Promise.all([release(), release()])
    expect(ended.map(({ outcome }) => outcome).sort()).toEqual(['already_resolved', 'resolved'])
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 50n })
    await booksBalance()
  })

  test('charges of single tokens add up to one charge of all of them, without rounding twice', async () => {
    const { credential } = await createFundedAccount(ledger, 1_000n)
    for (let count = 0; count < 100; count += 1) {
      const holdId = await openHold(ledger, credential, 5n)
      await ledger.settle({ holdId, costNano: 3n, usage: USAGE })
    }
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 700n, heldNano: 0n })
  })

  const finishers: Record<string, (server: Ledger, holdId: string) => Promise<SettleResult | null>> = {
    settle: (server, holdId) => server.settle({ holdId, costNano: 30n, usage: USAGE }),
    'settle at another cost': (server, holdId) => server.settle({ holdId, costNano: 90n, usage: USAGE }),
    release: (server, holdId) => server.release({ holdId, usage: USAGE }),
    sweep: async server => {
      await server.sweep(SWEEP)
      return null
    },
  }
  const names = Object.keys(finishers)
  const pairs = names.flatMap(first => names.map(second => [first, second] as const))

  test.each(pairs)('exactly one of a parallel %s and %s ends the hold', async (first, second) => {
    for (let round = 0; round < 5; round += 1) {
      const { accountId, credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      await expire(holdId)
      const results = await Promise.all([
        finishers[first]?.(ledger, holdId),
        finishers[second]?.(rival, holdId),
      ])
      const transfers = await getDatabase()
        .kysely.selectFrom('transfer')
        .where('debit_account_id', '=', accountId)
        .select('amount_nano')
        .execute()
      const charged = transfers.reduce((sum, transfer) => sum + transfer.amount_nano, 0n)
      expect(transfers.length).toBeLessThanOrEqual(1)
      expect(await ledger.getBalance({ credential })).toMatchObject({
        balanceNano: 100n - charged,
        heldNano: 0n,
      })
      const reported = results.flatMap(result =>
        result && 'chargedNano' in result ? [result.chargedNano] : [],
      )
      expect(reported).toEqual(reported.map(() => charged))
      expect(results.filter(result => result?.outcome === 'resolved').length).toBeLessThanOrEqual(1)
    }
    await booksBalance()
  })

  test('an expired hold is released by a sweep without a charge, and listed as expired', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    await expire(holdId)
    expect(await ledger.sweep(SWEEP)).toEqual({ releasedHoldIds: [holdId], settledHoldIds: [] })
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 100n, heldNano: 0n })
    const everything = { limit: 10, cursor: null, from: null, to: null, modelId: null, keyId: null }
    expect((await ledger.listUsage({ accountId, ...everything })).records).toMatchObject([
      { holdId, status: 'expired', chargedNano: 0n },
    ])
    expect(await ledger.settle({ holdId, costNano: 5n, usage: USAGE })).toMatchObject({
      outcome: 'already_resolved',
      state: 'released',
      chargedNano: 0n,
    })
  })

  describe('by a sweep after its process died', () => {
    const checkpointOf = (costNano: bigint) => ({
      costNano,
      usage: { ...USAGE, outputTokenCount: Number(costNano) },
    })
    const listed = async (accountId: string, holdId: string) => {
      const record = await ledger.getUsage({ accountId, holdId })
      return (
        record && { chargedNano: record.chargedNano, status: record.status, count: record.outputTokenCount }
      )
    }

    test('charges the cost and counts of its last checkpoint', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: checkpointOf(30n) })
      // A late or repeated checkpoint does not lower the cost.
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: checkpointOf(20n) })
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: null })
      await expire(holdId)
      expect(await ledger.sweep(SWEEP)).toEqual({ releasedHoldIds: [], settledHoldIds: [holdId] })
      expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 70n, heldNano: 0n })
      expect(await listed(accountId, holdId)).toEqual({ chargedNano: 30n, status: 'expired', count: 30 })
      await booksBalance()
    })

    test('charges at most the hold, and books the rest of the checkpoint as a loss', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: checkpointOf(95n) })
      await expire(holdId)
      await ledger.sweep(SWEEP)
      expect(await listed(accountId, holdId)).toMatchObject({ chargedNano: 80n })
      expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 20n, heldNano: 0n })
      await booksBalance()
    })

    test.each([
      [0n, 'released'],
      [30n, 'settled'],
    ] as const)('books what an upstream bills beside a cost of %s as a loss', async (costNano, state) => {
      const { accountId, credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      const checkpoint = { ...checkpointOf(costNano), absorbedNano: 50n }
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint })
      await expire(holdId)
      await ledger.sweep(SWEEP)
      expect(await listed(accountId, holdId)).toMatchObject({ chargedNano: costNano, status: 'expired' })
      const hold = getDatabase().kysely.selectFrom('hold').where('id', '=', holdId)
      expect(await hold.select(['state', 'loss_nano']).execute()).toEqual([{ state, loss_nano: 50n }])
      await booksBalance()
    })

    test('is replaced by a settlement, which ignores the checkpoint', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: checkpointOf(30n) })
      await expire(holdId)
      await ledger.settle({ holdId, costNano: 40n, usage: USAGE })
      expect(await ledger.sweep(SWEEP)).toEqual({ releasedHoldIds: [], settledHoldIds: [] })
      expect(await listed(accountId, holdId)).toMatchObject({ chargedNano: 40n, status: 'completed' })
      expect(await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: checkpointOf(50n) })).toEqual({
        renewed: false,
      })
    })

    test.each([-1n, 10n ** 15n + 1n])('a checkpoint of %s is refused as invalid input', async nano => {
      const { credential } = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, credential, 80n)
      for (const amounts of [{ costNano: nano }, { costNano: 1n, absorbedNano: nano }]) {
        const checkpoint = { ...amounts, usage: USAGE }
        await expect(ledger.renew({ holdId, ttlSeconds: 60, checkpoint })).rejects.toMatchObject({
          code: 'invalid_input',
        })
      }
    })

    test.each([0, -1, 1.5, 86_401])(
      'a renewal for %s seconds is refused as invalid input',
      async ttlSeconds => {
        const { credential } = await createFundedAccount(ledger, 100n)
        const holdId = await openHold(ledger, credential, 80n)
        await expect(ledger.renew({ holdId, ttlSeconds, checkpoint: null })).rejects.toMatchObject({
          code: 'invalid_input',
        })
      },
    )
  })

  test('a sweep ends the oldest holds first, up to its limit', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const newer = await openHold(ledger, credential, 10n)
    const older = await openHold(ledger, credential, 10n)
    await expire(newer)
    await getDatabase().kysely.executeQuery(
      CompiledQuery.raw(`update hold set expires_at = now() - interval '1 hour' where id = '${older}'`),
    )
    expect(await ledger.sweep({ holdCountMax: 1 })).toEqual({ releasedHoldIds: [older], settledHoldIds: [] })
    expect(await ledger.sweep({ holdCountMax: 1 })).toEqual({ releasedHoldIds: [newer], settledHoldIds: [] })
    expect(await ledger.sweep({ holdCountMax: 1 })).toEqual({ releasedHoldIds: [], settledHoldIds: [] })
  })

  test('a renewed hold outlives its first expiry', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    await expire(holdId)
    expect(await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: null })).toEqual({ renewed: true })
    expect(await ledger.sweep(SWEEP)).toEqual({ releasedHoldIds: [], settledHoldIds: [] })
    expect(await ledger.settle({ holdId, costNano: 10n, usage: USAGE })).toMatchObject({
      outcome: 'resolved',
      chargedNano: 10n,
    })
    expect(await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: null })).toEqual({ renewed: false })
  })

  test('a sweep waits for a renewal that comes at the same moment', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    await expire(holdId)
    const session = await openTestSession(getUrl())
    try {
      await session.run('begin')
      await session.run(`update hold set expires_at = now() + interval '1 minute' where id = $1`, [holdId])
      const swept = endExpired(createLedgerContext({ database: getDatabase() }), holdId)
      await untilWaiting(getDatabase(), 1, swept)
      await session.run('commit')
      expect(await swept).toMatchObject({ outcome: 'already_resolved', state: 'open' })
    } finally {
      await session.close()
    }
  })

  test('a renewal never brings a hold’s expiry forward', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n, { ttlSeconds: 3_600 })
    const expiry = () =>
      getDatabase().kysely.selectFrom('hold').where('id', '=', holdId).select('expires_at').executeTakeFirst()
    const before = await expiry()
    await ledger.renew({ holdId, ttlSeconds: 1, checkpoint: null })
    expect(await expiry()).toEqual(before)
  })

  describe('a call that ends after its hold was swept, as when the clock jumps,', () => {
    const checkpoint = (costNano: Nano, absorbedNano = 0n) => ({ costNano, absorbedNano, usage: USAGE })
    const holdOf = (holdId: string) =>
      getDatabase()
        .kysely.selectFrom('hold')
        .where('id', '=', holdId)
        .select(['state', 'charged_nano', 'loss_nano'])
        .executeTakeFirst()
    async function sweepAfter(last: ReturnType<typeof checkpoint> | null) {
      const customer = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, customer.credential, 80n)
      await ledger.renew({ holdId, ttlSeconds: 60, checkpoint: last })
      await expire(holdId)
      await ledger.sweep(SWEEP)
      return { ...customer, holdId }
    }

    test.each<[string, ReturnType<typeof checkpoint> | null, Nano, Nano]>([
      ['nothing', null, 0n, 60n],
      ['a part of its cost', checkpoint(20n), 20n, 40n],
      ['its cost', checkpoint(60n), 60n, 0n],
      ['more than its cost', checkpoint(70n), 70n, 0n],
      ['a loss alone', checkpoint(0n, 50n), 0n, 60n],
      ['a loss beside a part of its cost', checkpoint(20n, 10n), 20n, 40n],
    ])('is the operator’s loss where the sweep charged %s', async (_what, last, chargedNano, lossNano) => {
      const { accountId, credential, holdId } = await sweepAfter(last)
      const late = () => ledger.settle({ holdId, costNano: 60n, usage: USAGE })
      const ended = await late()
      const lateNano = lossNano - (last?.absorbedNano ?? 0n)
      const { lossNano: bookedNano, ...found } = { lossNano: null, ...ended }
      expect(found).toMatchObject({ outcome: 'already_resolved', chargedNano })
      expect(bookedNano).toBe(lateNano === 0n ? null : lateNano)
      expect(await late()).toEqual(found)
      expect(await holdOf(holdId)).toMatchObject({ charged_nano: chargedNano, loss_nano: lossNano })
      expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 100n - chargedNano })
      const lost = getDatabase().kysely.selectFrom('account').where('id', '=', accountId).select('lost_nano')
      expect(await lost.executeTakeFirst()).toEqual({ lost_nano: lossNano })
      await booksBalance()
    })

    test('is the operator’s loss too if nobody owes it', async () => {
      const { holdId } = await sweepAfter(null)
      await ledger.release({ holdId, absorbedNano: 30n, usage: USAGE })
      expect(await holdOf(holdId)).toEqual({ state: 'released', charged_nano: 0n, loss_nano: 30n })
    })

    test('is booked once by many that end it at once', async () => {
      const { holdId } = await sweepAfter(null)
      await Promise.all([10n, 30n, 20n].map(costNano => ledger.settle({ holdId, costNano, usage: USAGE })))
      await ledger.settle({ holdId, costNano: 40n, usage: USAGE })
      expect([10n, 20n, 30n]).toContain((await holdOf(holdId))?.loss_nano)
      await booksBalance()
    })

    test.each([
      ['after it', '+ 1', null],
      ['before it', '- 1', 30n],
    ])(
      'is a loss of the day of its call where the account has lost on the day %s',
      async (_when, shift, ofDay) => {
        const { accountId, holdId } = await sweepAfter(checkpoint(20n))
        await getDatabase().kysely.executeQuery(
          CompiledQuery.raw(`update account a set risk_nano = 0, lost_nano = 0,
          risk_day = (h.created_at at time zone 'UTC')::date ${shift} from hold h
          where h.id = '${holdId}' and a.id = h.account_id`),
        )
        await ledger.settle({ holdId, costNano: 50n, usage: USAGE })
        const account = getDatabase().kysely.selectFrom('account').where('id', '=', accountId)
        expect(await account.select(['risk_nano', 'lost_nano']).executeTakeFirst()).toEqual({
          risk_nano: ofDay ?? 0n,
          lost_nano: ofDay ?? 0n,
        })
        await booksBalance()
      },
    )

    test('leaves no transfer behind without its hold, which the next sweep deletes', async () => {
      const { holdId } = await sweepAfter(null)
      const session = await openTestSession(getUrl())
      try {
        await session.run('begin')
        await session.run('delete from hold where id = $1', [holdId])
        const late = ledger.settle({ holdId, costNano: 60n, usage: USAGE })
        await untilWaiting(getDatabase(), 1, late)
        await session.run('commit')
        expect(await late).toMatchObject({ chargedNano: 0n })
      } finally {
        await session.close()
      }
      await booksBalance()
    })
  })

  test('a sweep leaves a hold alone that was renewed after the sweep found it expired', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 80n)
    const context = createLedgerContext({ database: getDatabase() })
    expect(await endExpired(context, holdId)).toMatchObject({ outcome: 'already_resolved', state: 'open' })
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 80n })
  })
})
