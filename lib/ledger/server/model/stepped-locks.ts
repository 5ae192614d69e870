import 'server-only'
import { randomUUID } from 'node:crypto'
import { openTestSession } from '@/lib/db/testing-session'
import { createFundedAccount, holdInput, openHold, USAGE } from '../../testing'
import {
  type Account,
  type Arena,
  CREDIT_NANO,
  MOVE,
  paymentTo,
  twoServers,
  untilWaiting,
} from './stepped-races'

/**
 * Two calls that leave together wait for the account of the second, whose id comes first: is that of the first free
 * meanwhile? Whoever had it, and wanted the other, would wait in a circle with whoever has the other.
 */
export async function stepBatch(arena: Arena): Promise<boolean> {
  const [server] = twoServers(arena)
  const open = async () => {
    const account = await createFundedAccount(server, CREDIT_NANO)
    return { ...account, holdId: await openHold(server, account.credential, CREDIT_NANO) }
  }
  let [later, earlier] = [await open(), await open()]
  while (later.accountId < earlier.accountId) [later, earlier] = [earlier, await open()]
  return isFreeBehindLock(arena, earlier, later, () =>
    [later, earlier].map(({ holdId }) => server.settle({ holdId, costNano: 1n, usage: USAGE })),
  )
}

/**
 * What becomes available in one credit pays what another owes, whose id comes first and which somebody else has
 * locked: is the first free meanwhile?
 */
export async function stepCollection(
  arena: Arena,
  ways: readonly ('settle' | 'hold' | 'credit')[],
): Promise<boolean> {
  const { server, from, into, calls } = await openMerged(arena)
  await server.reverse({ ...MOVE, accountId: from.accountId, reference: randomUUID() })
  return isFreeBehindLock(arena, from, into, () => ways.map(way => calls[way]()))
}

/** While the calls wait for the earlier account. */
async function isFreeBehindLock(
  { url, database }: Arena,
  earlier: Account,
  later: Account,
  start: () => Promise<unknown>[],
): Promise<boolean> {
  const locker = await openTestSession(url)
  try {
    const lock = (account: Account, how = '') =>
      locker.run(`select from account where id = $1 for update ${how}`, [account.accountId])
    await locker.run('begin')
    await lock(earlier)
    const calls = start()
    await untilWaiting(database, 1)
    const isFree = await lock(later, 'nowait').then(
      () => true,
      () => false,
    )
    await locker.run('rollback')
    await Promise.all(calls)
    return isFree
  } finally {
    await locker.close()
  }
}

/**
 * While calls wait for an account, a refund of the money that was merged into it causes a debt, and whoever waited for
 * the owing account, which is earlier in the common lock order, gets it first. @returns whether the later one is free
 */
export async function stepLateDebt(arena: Arena, ways: readonly ('settle' | 'hold')[]): Promise<boolean> {
  const { database, url } = arena
  const { from, into, calls } = await openMerged(arena)
  const [refunder, rival] = [await openTestSession(url), await openTestSession(url)]
  const lock = 'select from account where id = $1 for update'
  try {
    await refunder.run('begin')
    await refunder.run(lock, [into.accountId])
    const called = Promise.all(ways.map(way => calls[way]()))
    await untilWaiting(database, 1, called)
    await refunder.run('select reverse_credit($1)', [paymentTo(from)])
    await rival.run('begin')
    const earlier = rival.run(lock, [from.accountId])
    await untilWaiting(database, 2, called)
    await refunder.run('commit')
    await earlier
    await untilWaiting(database, 1, called)
    // Shorter than PostgreSQL lets two sessions wait for each other.
    await rival.run(`set local lock_timeout = '500ms'`)
    const isFree = await rival.run(lock, [into.accountId]).then(
      () => true,
      () => false,
    )
    await rival.run('rollback')
    await called
    return isFree
  } finally {
    await Promise.all([refunder.close(), rival.close()])
  }
}

/** A credit that was merged into a later one, which has held all of it, and the calls that may wait for their locks. */
async function openMerged(arena: Arena) {
  const [server] = twoServers(arena)
  let [from, into] = [await createFundedAccount(server, CREDIT_NANO), await createFundedAccount(server, 0n)]
  while (into.accountId < from.accountId) into = await createFundedAccount(server, 0n)
  await server.merge({ from: from.credential, into: into.credential, reference: randomUUID() })
  const holdId = await openHold(server, into.credential, CREDIT_NANO)
  const other = await createFundedAccount(server, CREDIT_NANO)
  const calls = {
    settle: () => server.settle({ holdId, costNano: 1n, usage: USAGE }),
    credit: () => server.credit({ ...MOVE, accountId: into.accountId, reference: randomUUID() }),
    hold: () => server.hold(holdInput(other.credential, 1n)),
  }
  return { server, from, into, calls }
}
