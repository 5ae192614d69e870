import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, hashOf, holdInput, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

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

  test('that cost nothing are forgotten after a month, and no others', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const idempotencyKeyHash = hashOf('old')
    const forgotten = await openHold(ledger, credential, 10n, { idempotencyKeyHash })
    const [recent, charged, lost, open] = [
      await openHold(ledger, credential, 10n),
      await openHold(ledger, credential, 10n),
      await openHold(ledger, credential, 0n),
      await openHold(ledger, credential, 10n),
    ]
    for (const holdId of [forgotten, recent]) await ledger.release({ holdId, usage: USAGE })
    for (const holdId of [charged, lost]) await ledger.settle({ holdId, costNano: 5n, usage: USAGE })
    await age(31, forgotten, charged, lost, open)
    await age(29, recent)
    await ledger.sweep({ holdCountMax: 100 })
    expect(await kept(accountId)).toEqual([recent, charged, lost, open].sort())
    expect(await ledger.getUsage({ accountId, holdId: forgotten })).toBeNull()
    expect(await ledger.hold(holdInput(credential, 10n, { idempotencyKeyHash }))).toMatchObject({
      outcome: 'held',
    })
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  test('are forgotten in batches, the oldest first, by any number of sweepers', async () => {
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
