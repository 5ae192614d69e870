import { beforeAll, expect, test } from '@jest/globals'
import { type RawBuilder, sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, EXCHANGE, openHold, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000ffff'

describeOnPostgres('one usage record', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  const moveTo = (holdId: string, createdAt: RawBuilder<unknown>) =>
    sql`update hold set created_at = ${createdAt} where id = ${holdId}`.execute(getDatabase().kysely)

  test('is not found by an unknown or malformed id', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    expect(await ledger.getUsage({ accountId, holdId: UNKNOWN_ID })).toBeNull()
    expect(await ledger.getUsage({ accountId, holdId: "' or 1=1" })).toBeNull()
  })

  test('is not found while the exchange runs', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n)
    expect(await ledger.getUsage({ accountId, holdId })).toBeNull()
  })

  test('is not found by another account', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const stranger = await createFundedAccount(ledger, 0n)
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 4n, usage: USAGE })
    expect(await ledger.getUsage({ accountId: stranger.accountId, holdId })).toBeNull()
  })

  test('has the prices, hold, charge and key of a settled exchange, like the list', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId })
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 4n, usage: USAGE })
    const record = await ledger.getUsage({ accountId, holdId })
    expect(record).toMatchObject({ ...USAGE, ...EXCHANGE, holdId, keyId, heldNano: 10n, chargedNano: 4n })
    const page = await ledger.listUsage({
      accountId,
      limit: 1,
      cursor: null,
      from: null,
      to: null,
      modelId: null,
      keyId: null,
    })
    expect(page.records).toEqual([record])
  })

  test('of a released exchange has no charge', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.release({ holdId, usage: { ...USAGE, status: 'failed', errorCode: 'upstream_error' } })
    expect(await ledger.getUsage({ accountId, holdId })).toMatchObject({ chargedNano: 0n, status: 'failed' })
  })

  test('is found by its answer’s id among the calls of the last month, the newest first', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const settled = async (age: string) => {
      const holdId = await openHold(ledger, credential, 10n)
      await ledger.settle({ holdId, costNano: 4n, usage: { ...USAGE, answerId: 'gen-1' } })
      await moveTo(holdId, sql`now() - ${age}::interval`)
      return holdId
    }
    const found = async () =>
      (await ledger.findUsage({ accountId, keyId: null, answerId: 'gen-1' }))?.holdId ?? null
    await settled('32 days')
    expect(await found()).toBeNull()
    const newest = await settled('29 days')
    await settled('30 days')
    expect(await found()).toBe(newest)
    expect(await ledger.findUsage({ accountId: 'nobody', keyId: null, answerId: 'gen-1' })).toBeNull()
  })

  test('counts for the day, week and month that it began in, from their first moment in UTC', async () => {
    const { accountId } = await createFundedAccount(ledger, 1_000n)
    const { keyId, credential } = await createTestKey(ledger, { accountId })
    const { rows } = await sql<Record<'day' | 'week' | 'month', Date>>`
      select date_trunc('day', now(), 'UTC') as day, date_trunc('week', now(), 'UTC') as week,
        date_trunc('month', now(), 'UTC') as month`.execute(getDatabase().kysely)
    const [starts] = rows
    if (!starts) throw new Error('There is no time.')
    const calls = Object.values(starts)
      .flatMap(start => [start, new Date(start.getTime() - 1)])
      .map((createdAt, index) => ({ createdAt, costNano: 1n << BigInt(index) }))
    for (const { createdAt, costNano } of calls) {
      const holdId = await openHold(ledger, credential, 100n)
      await ledger.settle({ holdId, costNano, usage: USAGE })
      await moveTo(holdId, sql`${createdAt}::timestamptz`)
    }
    const since = (start: Date) =>
      calls.reduce((sum, { createdAt, costNano }) => (createdAt >= start ? sum + costNano : sum), 0n)
    const { day, week, month } = starts
    expect(await ledger.sumUsage({ accountId, keyId })).toEqual({
      totalNano: 63n,
      dayNano: since(day),
      weekNano: since(week),
      monthNano: since(month),
    })
    const stranger = await createFundedAccount(ledger, 0n)
    expect(await ledger.sumUsage({ accountId: stranger.accountId, keyId })).toMatchObject({ totalNano: 0n })
  })
})
