import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import { createFundedAccount } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'
import {
  stepBatch,
  stepCollection,
  stepHolds,
  stepLeft,
  stepMergeAndRefund,
  stepMerges,
  stepPeriod,
  stepRefund,
  untilWaiting,
} from './model/stepped-races'

describeOnPostgres('two servers that meet at the lock of one account', (getDatabase, getUrl) => {
  const arena = () => ({ database: getDatabase(), url: getUrl() })

  test.each(['credit_id', 'api_key'] as const)('hold its last cent once, asked by %s', async kind => {
    expect(await stepHolds(arena(), kind)).toEqual({
      balanceNano: 100n,
      heldNano: 100n,
      outcomes: ['held', 'insufficient_credit'],
    })
  })

  test('merge it once', async () => {
    expect(await stepMerges(arena())).toEqual({
      from: { balanceNano: 0n, heldNano: 0n },
      into: { balanceNano: 100n, heldNano: 0n },
    })
  })

  test('a refund collects from the payment that another credit is just getting', async () => {
    expect(await stepRefund(arena())).toEqual({ into: { balanceNano: 0n, heldNano: 0n }, debtNano: 0n })
  })

  // Both wake when the merge commits, and which of them is first is luck.
  test('a refund collects from a credit that the money is just being merged into', async () => {
    for (let round = 0; round < 20; round += 1) {
      expect(await stepMergeAndRefund(arena())).toEqual({
        into: { balanceNano: 0n, heldNano: 0n },
        debtNano: 0n,
      })
    }
  })

  test('what comes to a credit that was left goes to where the rest is just being merged', async () => {
    expect(await stepLeft(arena())).toEqual({ balanceNano: 100n, heldNano: 0n })
  })

  test('what comes to a credit that was left locks that one and the next in the order of all', async () => {
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

  test('what leaves together takes the locks of its accounts in the order of all', async () => {
    expect(await stepBatch(arena())).toBe(true)
  })

  test.each([[['settle']], [['settle', 'hold']], [['credit']]] as const)(
    'what pays the debt of a merged credit takes the locks of both in that order, too: %s',
    async ways => {
      expect(await stepCollection(arena(), ways)).toBe(true)
    },
  )

  test('another reset period counts the charge that is just being made', async () => {
    expect(await stepPeriod(arena())).toBe(100n)
  })
})
