import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import { createFundedAccount, createTestKey } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'
import { stepBatch, stepCollection, stepLateDebt } from './model/stepped-locks'
import {
  type Account,
  mergeOf,
  stepHolds,
  stepLeft,
  stepMergeAndRefund,
  stepMerges,
  stepPeriod,
  stepRefund,
  untilWaiting,
} from './model/stepped-races'

describeOnPostgres('two servers that wait for the lock of one account', (getDatabase, getUrl) => {
  const arena = () => ({ database: getDatabase(), url: getUrl() })

  test.each(['credit_id', 'api_key'] as const)('place one hold on its last credit (by %s)', async kind => {
    expect(await stepHolds(arena(), kind)).toEqual({
      balanceNano: 100n,
      heldNano: 100n,
      outcomes: ['held', 'insufficient_credit'],
    })
  })

  test('merge its credit once', async () => {
    expect(await stepMerges(arena())).toEqual({
      from: { balanceNano: 0n, heldNano: 0n },
      into: { balanceNano: 100n, heldNano: 0n },
    })
  })

  test('a refund collects from a concurrent payment to the account that was merged into', async () => {
    expect(await stepRefund(arena())).toEqual({ into: { balanceNano: 0n, heldNano: 0n }, debtNano: 0n })
  })

  // Both wake when the merge commits, in random order.
  test('a refund collects from the target of a concurrent merge', async () => {
    for (let round = 0; round < 20; round += 1) {
      expect(await stepMergeAndRefund(arena())).toEqual({
        into: { balanceNano: 0n, heldNano: 0n },
        debtNano: 0n,
      })
    }
  })

  test('a payment to a merged account follows a concurrent merge of the rest', async () => {
    expect(await stepLeft(arena())).toEqual({ balanceNano: 100n, heldNano: 0n })
  })

  test('a payment to a merged account locks it and its target in the common lock order', async () => {
    const { database, url } = arena()
    const server = createEmbeddedLedger({ database })
    const pair = [await createFundedAccount(server, 0n), await createFundedAccount(server, 0n)]
    const ids = pair.map(({ accountId }) => accountId).sort()
    const [into, from] = ids.map(id => pair.find(({ accountId }) => accountId === id)?.credential)
    if (!into || !from) throw new Error('There are two.')
    await server.merge({ from, into, reference: randomUUID() })
    const merger = await openTestSession(url)
    try {
      await merger.run('begin')
      await merger.run('select from account where id = $1 for update', [ids[0]])
      const reference = randomUUID()
      const payment = { amountNano: 100n, source: 'gateway', memo: {}, askedAt: new Date(0) } as const
      const paid = server.credit({ ...payment, accountId: ids[1] ?? '', reference })
      await untilWaiting(database, 1, paid)
      await merger.run('select from account where id = $1 for update nowait', [ids[1]])
      await merger.run('commit')
      expect(await paid).toEqual({ outcome: 'credited', balanceNano: 0n })
    } finally {
      await merger.close()
    }
  })

  test('a merge into a credit, or from it, that was closed meanwhile moves nothing', async () => {
    const { database, url } = arena()
    const server = createEmbeddedLedger({ database })
    const [leaked, own, thief] = [
      await createFundedAccount(server, 20n),
      await createFundedAccount(server, 0n),
      await createFundedAccount(server, 50n),
    ]
    const session = await openTestSession(url)
    try {
      await session.run('begin')
      await session.run('select merge_into_credit($1)', [mergeOf(leaked, own, { closes: true })])
      const merge = (from: Account, into: Account, closes: boolean) =>
        server.merge({ from: from.credential, into: into.credential, reference: randomUUID(), closes })
      const merges = [merge(thief, leaked, false), merge(leaked, thief, true), merge(leaked, own, true)]
      await untilWaiting(database, merges.length)
      await session.run('commit')
      const unknown = { outcome: 'unknown_credential' }
      const repeated = { outcome: 'merged', movedNano: 0n, balanceNano: 20n, isClosed: true }
      expect(await Promise.all(merges)).toEqual([unknown, unknown, repeated])
      expect(await server.getBalance(thief)).toMatchObject({ balanceNano: 50n })
    } finally {
      await session.close()
    }
  })

  test('a key is not created for a credit that was closed meanwhile', async () => {
    const { database, url } = arena()
    const server = createEmbeddedLedger({ database })
    const [leaked, own] = [await createFundedAccount(server, 20n), await createFundedAccount(server, 0n)]
    const session = await openTestSession(url)
    try {
      await session.run('begin')
      await session.run('select merge_into_credit($1)', [mergeOf(leaked, own, { closes: true })])
      const creating = expect(createTestKey(server, leaked)).rejects.toMatchObject({
        code: 'unknown_account',
      })
      await untilWaiting(database, 1, creating)
      await session.run('commit')
      await creating
    } finally {
      await session.close()
    }
  })

  test('a batch locks its accounts in the common lock order', async () => {
    expect(await stepBatch(arena())).toBe(true)
  })

  test.each([[['settle']], [['settle', 'hold']], [['credit']]] as const)(
    'collecting the debt of a merged account locks both accounts in the common lock order: %s',
    async ways => {
      expect(await stepCollection(arena(), ways)).toBe(true)
    },
  )

  test.each([[['settle']], [['settle', 'hold']]] as const)(
    'a debt that arises meanwhile makes them wait for no account out of the common lock order: %s',
    async ways => {
      expect(await stepLateDebt(arena(), ways)).toBe(true)
    },
  )

  test('a changed reset period counts a concurrent charge', async () => {
    expect(await stepPeriod(arena())).toBe(100n)
  })
})
