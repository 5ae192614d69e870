import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

type Account = Awaited<ReturnType<typeof createFundedAccount>>

describeOnPostgres('debt', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  afterEach(async () => {
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  const funded = (amountNano: bigint) => createFundedAccount(ledger, amountNano)
  const move = (account: Account, amountNano: bigint) =>
    ({
      accountId: account.accountId,
      amountNano,
      source: 'gateway',
      reference: randomUUID(),
      memo: {},
    }) as const
  const refund = (account: Account, amountNano: bigint) => ledger.reverse(move(account, amountNano))
  const pay = (account: Account, amountNano: bigint) =>
    ledger.credit({ ...move(account, amountNano), askedAt: new Date(Date.now() + 3_600_000) })
  const merge = (from: Account, into: Account) =>
    ledger.merge({ from: from.credential, into: into.credential, reference: randomUUID() })
  const spend = async (account: Account, costNano: bigint) => {
    const holdId = await openHold(ledger, account.credential, costNano)
    await ledger.settle({ holdId, costNano, usage: USAGE })
  }
  /** Balance, held, owed. */
  const state = async (account: Account) => {
    const balance = await ledger.getBalance(account)
    return [balance?.balanceNano, balance?.heldNano, balance?.debtNano]
  }

  test('arises when a refund exceeds the balance, and the next payment repays it first', async () => {
    const account = await funded(100n)
    await spend(account, 60n)
    expect(await refund(account, 100n)).toMatchObject({ takenNano: 40n, debtNano: 60n, balanceNano: 0n })
    expect(await pay(account, 50n)).toMatchObject({ balanceNano: 0n })
    expect(await state(account)).toEqual([0n, 0n, 10n])
    expect(await pay(account, 50n)).toMatchObject({ balanceNano: 40n })
    expect(await state(account)).toEqual([40n, 0n, 0n])
  })

  test('arises when the refunded credit is held, and ending the holds repays it', async () => {
    const account = await funded(100n)
    const holds = [
      await openHold(ledger, account.credential, 60n),
      await openHold(ledger, account.credential, 40n),
    ]
    expect(await refund(account, 70n)).toMatchObject({ takenNano: 0n, debtNano: 70n })
    expect(await state(account)).toEqual([100n, 100n, 70n])
    const [first = '', second = ''] = holds
    expect(await ledger.settle({ holdId: first, costNano: 10n, usage: USAGE })).toMatchObject({
      chargedNano: 10n,
      balanceNano: 40n,
    })
    expect(await state(account)).toEqual([40n, 40n, 20n])
    expect(await ledger.release({ holdId: second, usage: USAGE })).toMatchObject({ balanceNano: 20n })
    expect(await state(account)).toEqual([20n, 0n, 0n])
  })

  test('leaves nothing available to any credential of the account', async () => {
    const account = await funded(100n)
    const key = await createTestKey(ledger, { accountId: account.accountId })
    await spend(account, 100n)
    await refund(account, 100n)
    await pay(account, 90n)
    for (const credential of [account.credential, key.credential]) {
      expect(await ledger.getBalance({ credential })).toMatchObject({ availableNano: 0n, debtNano: 10n })
    }
  })

  test('is cleared when a chargeback is won, and what was taken is returned', async () => {
    const account = await funded(100n)
    await spend(account, 70n)
    expect(await refund(account, 100n)).toMatchObject({ takenNano: 30n, debtNano: 70n })
    expect(await pay(account, 100n)).toMatchObject({ balanceNano: 30n })
    expect(await state(account)).toEqual([30n, 0n, 0n])
  })

  test('is avoided by collecting the refund from the account that the credit was merged into, however far', async () => {
    const [first, second, third] = [await funded(100n), await funded(5n), await funded(7n)]
    await merge(first, second)
    await merge(second, third)
    expect(await refund(first, 80n)).toMatchObject({ takenNano: 80n, debtNano: 0n, balanceNano: 0n })
    expect([await state(first), await state(second), await state(third)]).toEqual([
      [0n, 0n, 0n],
      [0n, 0n, 0n],
      [32n, 0n, 0n],
    ])
  })

  test('is collected after circular merges, also when a hold ends later', async () => {
    const [first, second, third] = [await funded(100n), await funded(0n), await funded(0n)]
    await merge(first, second)
    const holdId = await openHold(ledger, second.credential, 60n)
    await merge(second, third)
    await merge(third, first)
    expect(await refund(first, 100n)).toMatchObject({ takenNano: 40n, debtNano: 60n })
    expect(await ledger.release({ holdId, usage: USAGE })).toMatchObject({ balanceNano: 0n })
    expect([await state(first), await state(second), await state(third)]).toEqual([
      [0n, 0n, 0n],
      [0n, 0n, 0n],
      [0n, 0n, 0n],
    ])
  })

  test('is collected from where the credit went, also after another one was merged into the old account', async () => {
    const [first, second, third] = [await funded(100n), await funded(0n), await funded(30n)]
    await merge(first, second)
    await merge(third, first)
    expect(await refund(first, 100n)).toMatchObject({ takenNano: 100n, debtNano: 0n })
    expect([await state(first), await state(second), await state(third)]).toEqual([
      [0n, 0n, 0n],
      [30n, 0n, 0n],
      [0n, 0n, 0n],
    ])
  })

  test('is collected from several accounts, and from no more than it takes', async () => {
    const [first, second, third] = [await funded(100n), await funded(0n), await funded(0n)]
    await merge(first, second)
    const holdId = await openHold(ledger, second.credential, 60n)
    await merge(second, third)
    await ledger.release({ holdId, usage: USAGE })
    expect(await refund(first, 30n)).toMatchObject({ takenNano: 30n, debtNano: 0n })
    expect(await refund(first, 65n)).toMatchObject({ takenNano: 65n, debtNano: 0n })
    const left = [await state(second), await state(third)].map(([balanceNano = 0n]) => balanceNano)
    expect(left.reduce((sum, nano) => sum + nano)).toBe(5n)
  })

  test('for credit that was merged and then spent is repaid by the account it was merged into', async () => {
    const [from, into] = [await funded(100n), await funded(0n)]
    await merge(from, into)
    await spend(into, 100n)
    await refund(from, 100n)
    expect([await state(from), await state(into)]).toEqual([
      [0n, 0n, 100n],
      [0n, 0n, 100n],
    ])
    expect(await pay(into, 130n)).toMatchObject({ balanceNano: 30n })
    expect([await state(from), await state(into)]).toEqual([
      [0n, 0n, 0n],
      [30n, 0n, 0n],
    ])
  })

  test('moves with a merge, and the account merged into repays it', async () => {
    const [from, into] = [await funded(100n), await funded(50n)]
    await spend(from, 100n)
    await refund(from, 80n)
    expect(await merge(from, into)).toEqual({ outcome: 'merged', movedNano: 0n, balanceNano: 0n })
    // Both accounts belong to the same person, so either repays it from now on.
    expect([await state(from), await state(into)]).toEqual([
      [0n, 0n, 30n],
      [0n, 0n, 30n],
    ])
    await pay(from, 40n)
    expect([await state(from), await state(into)]).toEqual([
      [10n, 0n, 0n],
      [0n, 0n, 0n],
    ])
  })

  test('moves with a merge to an account that holds all it has, and the end of its hold repays it', async () => {
    const [from, into] = [await funded(100n), await funded(50n)]
    await spend(from, 100n)
    await refund(from, 30n)
    const holdId = await openHold(ledger, into.credential, 50n)
    expect(await merge(from, into)).toMatchObject({ outcome: 'merged', balanceNano: 50n })
    expect(await state(into)).toEqual([50n, 50n, 30n])
    expect(await ledger.release({ holdId, usage: USAGE })).toMatchObject({ balanceNano: 20n })
    expect([await state(from), await state(into)]).toEqual([
      [0n, 0n, 0n],
      [20n, 0n, 0n],
    ])
  })

  test('that moved with a merge is no money that a repetition tells of', async () => {
    const [from, into] = [await funded(100n), await funded(0n)]
    await spend(from, 100n)
    await refund(from, 60n)
    const input = { from: from.credential, into: into.credential, reference: randomUUID() }
    const moved = { movedNano: 0n, balanceNano: 0n }
    expect(await ledger.merge(input)).toEqual({ outcome: 'merged', ...moved })
    expect(await ledger.merge(input)).toEqual({ outcome: 'already_merged', ...moved })
    expect(await state(into)).toEqual([0n, 0n, 60n])
  })

  test('that moved with a merge is repaid by holds released on the old account', async () => {
    const [from, into] = [await funded(100n), await funded(0n)]
    const holdId = await openHold(ledger, from.credential, 100n)
    await refund(from, 100n)
    await merge(from, into)
    expect([await state(from), await state(into)]).toEqual([
      [100n, 100n, 100n],
      [0n, 0n, 100n],
    ])
    await ledger.release({ holdId, usage: USAGE })
    expect([await state(from), await state(into)]).toEqual([
      [0n, 0n, 0n],
      [0n, 0n, 0n],
    ])
  })

  test('from a received credit that is refunded never takes more than that credit, also after another merge', async () => {
    const [poisoned, mine, next] = [await funded(100n), await funded(500n), await funded(0n)]
    await spend(poisoned, 95n)
    await merge(poisoned, mine)
    expect(await refund(poisoned, 100n)).toMatchObject({ takenNano: 5n, debtNano: 95n })
    expect(await state(mine)).toEqual([500n, 0n, 0n])
    await merge(mine, next)
    expect([await state(poisoned), await state(next)]).toEqual([
      [0n, 0n, 95n],
      [500n, 0n, 0n],
    ])
  })

  test('is shown to the receiver of a merge up to what it received, beside its own, and to nobody else', async () => {
    const [from, more, into] = [await funded(100n), await funded(200n), await funded(20n)]
    await spend(from, 95n)
    await merge(from, into)
    await merge(more, into)
    await spend(into, 225n)
    expect(await refund(from, 100n)).toMatchObject({ takenNano: 0n, debtNano: 100n })
    expect(await state(into)).toEqual([0n, 0n, 5n])
    const [theirs, strangers] = [await funded(50n), await funded(0n)]
    await merge(theirs, strangers)
    expect(await state(strangers)).toEqual([50n, 0n, 0n])
    await refund(into, 20n)
    expect(await state(into)).toEqual([0n, 0n, 25n])
    expect(await pay(into, 50n)).toMatchObject({ balanceNano: 25n })
    expect(await state(from)).toEqual([0n, 0n, 95n])
  })

  test('stays exact under parallel refunds, payments and settlements on merged accounts', async () => {
    const accounts = [await funded(100n), await funded(100n), await funded(100n)] as const
    const [first, second, third] = accounts
    const holds = await Promise.all(accounts.map(account => openHold(ledger, account.credential, 40n)))
    await merge(first, second)
    await merge(second, third)
    const rivals = [ledger, createEmbeddedLedger({ database: getDatabase() })]
    const refunds = [move(first, 100n), move(second, 100n)]
    await Promise.all([
      ...rivals.flatMap(rival => refunds.map(input => rival.reverse(input))),
      ...holds.map(holdId => ledger.settle({ holdId, costNano: 10n, usage: USAGE })),
      ...accounts.map(account => pay(account, 20n)),
    ])
    // Paid in 300 and 60, refunded 200, charged 30.
    const rows = await getDatabase()
      .kysely.selectFrom('account')
      .select(['balance_nano', 'debt_nano'])
      .where(
        'id',
        'in',
        accounts.map(({ accountId }) => accountId),
      )
      .execute()
    expect(rows.reduce((sum, row) => sum + row.balance_nano - row.debt_nano, 0n)).toBe(130n)
  })
})
