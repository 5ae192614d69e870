import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, hashOf, holdInput, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'
import { pruneHolds } from './prune'

describeOnPostgres('old calls', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  const age = async (days: number, ...holdIds: string[]) => {
    await sql`
      update hold set resolved_at = resolved_at - make_interval(days => ${days})
      where id = any (${holdIds})`.execute(getDatabase().kysely)
  }
  const kept = async (accountId: string) => {
    const holds = getDatabase().kysely.selectFrom('hold').where('account_id', '=', accountId).select('id')
    return (await holds.execute()).map(({ id }) => id).sort()
  }

  test('without a cost are deleted after a month, and no others', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const idempotencyKeyHash = hashOf('old')
    const forgotten = await openHold(ledger, credential, 10n, { idempotencyKeyHash })
    const [recent, charged, lost, absorbed, open] = [
      await openHold(ledger, credential, 10n),
      await openHold(ledger, credential, 10n),
      await openHold(ledger, credential, 0n),
      await openHold(ledger, credential, 10n),
      await openHold(ledger, credential, 10n),
    ]
    for (const holdId of [forgotten, recent]) await ledger.release({ holdId, usage: USAGE })
    for (const holdId of [charged, lost]) await ledger.settle({ holdId, costNano: 5n, usage: USAGE })
    await ledger.release({ holdId: absorbed, absorbedNano: 5n, usage: USAGE })
    await age(31, forgotten, charged, lost, absorbed, open)
    await age(29, recent)
    await ledger.sweep({ holdCountMax: 100 })
    expect(await kept(accountId)).toEqual([recent, charged, lost, absorbed, open].sort())
    expect(await ledger.getUsage({ accountId, holdId: forgotten })).toBeNull()
    expect(await ledger.hold(holdInput(credential, 10n, { idempotencyKeyHash }))).toMatchObject({
      outcome: 'held',
    })
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  test('are deleted in batches, oldest first, by any number of sweepers', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const holdIds: string[] = []
    for (let days = 40; days > 31; days -= 1) {
      const holdId = await openHold(ledger, credential, 1n)
      await ledger.release({ holdId, usage: USAGE })
      await age(days, holdId)
      holdIds.push(holdId)
    }
    await ledger.sweep({ holdCountMax: 2 })
    expect(await kept(accountId)).toEqual(holdIds.slice(2).sort())
    const rivals = Array.from({ length: 3 }, () => createEmbeddedLedger({ database: getDatabase() }))
    await Promise.all(rivals.map(rival => rival.sweep({ holdCountMax: 2 })))
    await ledger.sweep({ holdCountMax: 100 })
    expect(await kept(accountId)).toEqual([])
  })
})

const MONTH_COUNT = 24

describeOnPostgres('pruning old calls into monthly totals', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  const kysely = () => getDatabase().kysely
  const prune = (accountId: string, holdCount: number, by = kysely()) =>
    sql<{ count: number }>`select prune_account(${accountId}, ${MONTH_COUNT}, ${holdCount}) as count`.execute(
      by,
    )

  /** Moves everything that the account and its keys did this many months into the past. */
  async function age(accountId: string, months: number) {
    const earlier = (column: string) => sql`${sql.ref(column)} - make_interval(months => ${months})`
    await sql`update hold set created_at = ${earlier('created_at')}, resolved_at = ${earlier('resolved_at')}
      where account_id = ${accountId}`.execute(kysely())
    await sql`update api_key set usage_period_start = ${earlier('usage_period_start')}
      where account_id = ${accountId} and reset_period <> 'none'`.execute(kysely())
    await sql`update account set risk_day = ${earlier('risk_day')} where id = ${accountId}`.execute(kysely())
  }
  const list = (accountId: string, from: Date | null = null) =>
    ledger.listUsage({
      ...{ accountId, from, limit: 1_000, cursor: null },
      ...{ to: null, modelId: null, keyId: null },
    })
  async function counted(accountId: string) {
    const { rows } = await sql<{ calls: number; failed: number }>`
      select sum(calls)::int as calls, sum(failed)::int as failed from (
        select count(*) as calls, count(*) filter (where state = 'released') as failed
          from hold where account_id = ${accountId} and state <> 'open'
        union all select call_count, failed_call_count from usage_month where account_id = ${accountId}
      ) calls`.execute(kysely())
    return rows
  }

  const call = fc.record({
    key: fc.constantFrom(null, 0, 1, 2),
    amountNano: fc.bigInt(1n, 90n),
    costNano: fc.bigInt(0n, 120n),
    isReleased: fc.boolean(),
  })
  const years = fc.array(
    fc.record({ calls: fc.array(call, { maxLength: 6 }), months: fc.nat({ max: 20 }) }),
    {
      minLength: 2,
      maxLength: 5,
    },
  )

  test('keeps every sum, even if a process is killed or several prune at once', async () => {
    let movedCount = 0
    await fc.assert(
      fc.asyncProperty(years, fc.integer({ min: 1, max: 4 }), async (phases, batchSize) => {
        const { accountId, credential } = await createFundedAccount(ledger, 50_000n)
        const keys = await Promise.all(
          (['none', 'daily', 'monthly'] as const).map(resetPeriod =>
            createTestKey(ledger, { accountId, resetPeriod }),
          ),
        )
        for (const { calls, months } of phases) {
          for (const { key, amountNano, costNano, isReleased } of calls) {
            const by = key === null ? credential : (keys[key]?.credential ?? credential)
            const holdId = await openHold(ledger, by, amountNano, {
              minimumNano: amountNano + 5n,
              leastNano: 1n,
            })
            if (isReleased) await ledger.release({ holdId, absorbedNano: costNano, usage: USAGE })
            else await ledger.settle({ holdId, costNano, usage: USAGE })
          }
          await age(accountId, months)
        }
        const state = async () => ({
          balance: await ledger.getBalance({ credential }),
          keys: await ledger.listKeys({ accountId }),
          sums: await Promise.all(
            [null, ...keys.map(({ keyId }) => keyId)].map(keyId => ledger.sumUsage({ accountId, keyId })),
          ),
          counted: await counted(accountId),
          books: await checkLedger({ database: getDatabase() }),
        })
        const before = await state()
        expect(before.books.differences).toEqual([])
        const { records } = await list(accountId)

        const killed = kysely()
          .transaction()
          .execute(async transaction => {
            await prune(accountId, batchSize, transaction)
            throw new Error('killed')
          })
        await expect(killed).rejects.toThrow('killed')
        expect((await list(accountId)).records).toEqual(records)
        // An unfinished pruning that no process continues.
        await prune(accountId, batchSize)
        expect(await state()).toEqual(before)
        const rival = async () => {
          while ((await prune(accountId, batchSize)).rows[0]?.count) {}
        }
        const pruning = pruneHolds(getDatabase(), MONTH_COUNT)
        await Promise.all([rival(), rival(), pruning])
        expect(await state()).toEqual(before)

        const after = await list(accountId)
        const start = (await pruning).before
        const isListed = ({ createdAt }: { createdAt: Date }) => createdAt >= start
        expect(after.records).toEqual(records.filter(isListed))
        movedCount += records.length - after.records.length
        if (records.every(isListed)) expect(after).not.toHaveProperty('summedBefore')
        else expect(after.summedBefore?.getTime()).toBeLessThanOrEqual(start.getTime())
        for (const { holdId } of records.filter(record => !isListed(record))) {
          expect(await ledger.getUsage({ accountId, holdId })).toBeNull()
        }
        expect((await list(accountId, start)).summedBefore).toBeUndefined()
      }),
      { numRuns: 12 },
    )
    expect(movedCount).toBeGreaterThan(0)
  })

  test('takes the calls of one account at a time', async () => {
    const [mine, theirs] = [await createFundedAccount(ledger, 10n), await createFundedAccount(ledger, 10n)]
    for (const { accountId, credential } of [mine, theirs]) {
      const holdId = await openHold(ledger, credential, 10n)
      await ledger.settle({ holdId, costNano: 7n, usage: USAGE })
      await age(accountId, 30)
    }
    expect((await prune(mine.accountId, 100)).rows).toEqual([{ count: 1 }])
    expect((await list(mine.accountId)).records).toHaveLength(0)
    expect((await list(theirs.accountId)).records).toHaveLength(1)
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  test('skips open holds and holds that count for their day’s risk', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 5n)
    const running = await openHold(ledger, credential, 3n, { minimumNano: 9n, leastNano: 1n })
    const lost = await openHold(ledger, credential, 1n, { minimumNano: 9n, leastNano: 1n })
    await ledger.settle({ holdId: lost, costNano: 4n, usage: USAGE })
    await age(accountId, 30)
    await pruneHolds(getDatabase(), MONTH_COUNT)
    expect((await list(accountId)).records.map(({ holdId }) => holdId)).toEqual([lost])
    await ledger.settle({ holdId: running, costNano: 7n, usage: USAGE })
    // From here on, both ended long ago.
    await sql`update hold set resolved_at = created_at where id = ${running}`.execute(kysely())
    const books = await checkLedger({ database: getDatabase() })
    expect(books.differences).toEqual([])
    expect((await pruneHolds(getDatabase(), MONTH_COUNT)).holdCount).toBe(2)
    expect(await checkLedger({ database: getDatabase() })).toEqual(books)
  })

  test('skips the calls of the week in which a key was last used', async () => {
    const { accountId } = await createFundedAccount(ledger, 10n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, resetPeriod: 'weekly' })
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 7n, usage: USAGE })
    const before = sql`date_trunc('month', now() - make_interval(months => ${MONTH_COUNT}), 'UTC')`
    const week = sql`key_period_start('weekly', ${before})`
    const at = sql`greatest(${week}, ${before} - interval '1 day')`
    await sql`update api_key set usage_period_start = ${week} where id = ${keyId}`.execute(kysely())
    await sql`update hold set created_at = ${at}, resolved_at = ${at} where id = ${holdId}`.execute(kysely())
    expect((await prune(accountId, 100)).rows).toEqual([{ count: 0 }])
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  test('skips months that a statement can cover, and totals can never be lowered', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 7n, usage: USAGE })
    const failed = await openHold(ledger, credential, 10n)
    await ledger.release({ holdId: failed, absorbedNano: 3n, usage: USAGE })
    await age(accountId, MONTH_COUNT)
    await expect(pruneHolds(getDatabase(), MONTH_COUNT - 1)).rejects.toMatchObject({ name: 'LedgerError' })
    expect((await pruneHolds(getDatabase(), MONTH_COUNT)).holdCount).toBe(0)
    // Nor does it end a day of losses that is not that old.
    await prune(accountId, 100)
    const account = kysely().selectFrom('account').where('id', '=', accountId)
    expect(await account.select('lost_nano').executeTakeFirst()).toEqual({ lost_nano: 3n })
    await age(accountId, 1)
    expect((await pruneHolds(getDatabase(), MONTH_COUNT)).holdCount).toBe(2)
    for (const statement of [
      ...['call_count', 'failed_call_count', 'charged_nano', 'loss_nano'].map(
        column => `update usage_month set ${column} = ${column} - 1 where ${column} > 0`,
      ),
      `update usage_month set month = '1999-01-01'`,
      'update usage_month set account_id = gen_random_uuid()',
      'update usage_month set key_id = gen_random_uuid()',
      'delete from usage_month',
      'truncate usage_month',
    ]) {
      await expect(sql.raw(statement).execute(kysely())).rejects.toThrow('totals of a month only grow')
    }
    await sql`update usage_month set charged_nano = charged_nano + 1 where account_id = ${accountId}`.execute(
      kysely(),
    )
    const { differences } = await checkLedger({ database: getDatabase() })
    expect(differences.map(({ subject }) => subject)).toEqual([accountId, accountId])
    await expect(sql`delete from transfer`.execute(kysely())).rejects.toThrow('append-only')
  })
})
