import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { openTestSession } from '@/lib/db/testing-session'
import type { Nano } from '@/lib/money/nano'
import type { Credential } from '../../domain/accounts'
import type { Ledger } from '../../domain/ledger'
import { createFundedAccount, createTestKey, holdInput, openHold, USAGE } from '../../testing'
import { moneyMoveRequest } from '../credits'
import { createEmbeddedLedger } from '../embedded-ledger'

/** What an account holds after a race, as its row says: what a mutant overdrew may be below zero. */
export interface AccountRow {
  balanceNano: Nano
  heldNano: Nano
}

export interface Arena {
  database: Database
  url: string
}

export const CREDIT_NANO = 100n

/** Two servers want to hold all of one credit: only one of them may. */
export async function stepHolds(
  arena: Arena,
  credentialKind: Credential['kind'],
): Promise<AccountRow & { outcomes: string[] }> {
  const servers = twoServers(arena)
  const { accountId, credential } = await createFundedAccount(servers[0], CREDIT_NANO)
  const key = await createTestKey(servers[0], { accountId })
  const chosen = credentialKind === 'credit_id' ? credential : key.credential
  const results = await raceBehindLock(arena, [accountId], () =>
    servers.map(server => server.hold(holdInput(chosen, CREDIT_NANO))),
  )
  const outcomes = results.map(({ outcome }) => outcome).sort()
  return { ...(await accountRow(arena, accountId)), outcomes }
}

/** Two servers are asked for the same merge: it moves once. */
export async function stepMerges(arena: Arena): Promise<{ from: AccountRow; into: AccountRow }> {
  const servers = twoServers(arena)
  const [from, into] = [
    await createFundedAccount(servers[0], CREDIT_NANO),
    await createFundedAccount(servers[0], 0n),
  ]
  const question = { from: from.credential, into: into.credential, reference: randomUUID() }
  await raceBehindLock(arena, [from.accountId, into.accountId], () =>
    servers.map(server => server.merge(question)),
  )
  return {
    from: await accountRow(arena, from.accountId),
    into: await accountRow(arena, into.accountId),
  }
}

/** What the credit has that was paid into, and what the refunded one owes, once both are done. */
export interface RefundOutcome {
  into: AccountRow
  debtNano: Nano
}

/**
 * A payment has come to a credit and is not yet committed when the money is refunded that was merged into that
 * credit before: neither may miss the other.
 */
export async function stepRefund(arena: Arena): Promise<RefundOutcome> {
  const [server] = twoServers(arena)
  const [from, into] = [await createFundedAccount(server, CREDIT_NANO), await createFundedAccount(server, 0n)]
  await server.merge({ from: from.credential, into: into.credential, reference: randomUUID() })
  const spent = await openHold(server, into.credential, CREDIT_NANO)
  await server.settle({ holdId: spent, costNano: CREDIT_NANO, usage: USAGE })
  const payer = await openTestSession(arena.url)
  try {
    await payer.run('begin')
    await payer.run('select credit_account($1)', [paymentTo(into)])
    const refund = server.reverse({ ...MOVE, accountId: from.accountId, reference: randomUUID() })
    await untilWaiting(arena.database, 1, refund)
    await payer.run('commit')
    await refund
  } finally {
    await payer.close()
  }
  return refundOutcome(arena, { from, into })
}

/** The same, where the merge itself is not yet committed when the refund begins. */
export async function stepMergeAndRefund(arena: Arena): Promise<RefundOutcome> {
  const [server] = twoServers(arena)
  const [from, into] = [await createFundedAccount(server, CREDIT_NANO), await createFundedAccount(server, 0n)]
  // What is merged pays this debt at once, so that only the payment makes anything available.
  await server.reverse({ ...MOVE, accountId: into.accountId, reference: randomUUID() })
  const [merger, payer] = [await openTestSession(arena.url), await openTestSession(arena.url)]
  try {
    await merger.run('begin')
    await merger.run('select merge_into_credit($1)', [mergeOf(from, into)])
    const refund = server.reverse({ ...MOVE, accountId: from.accountId, reference: randomUUID() })
    await untilWaiting(arena.database, 1)
    await payer.run('begin')
    const payment = payer.run('select credit_account($1)', [paymentTo(into)])
    await untilWaiting(arena.database, 2)
    await merger.run('commit')
    await payment
    await untilWaiting(arena.database, 1, refund)
    await payer.run('commit')
    await refund
  } finally {
    await merger.close()
    await payer.close()
  }
  return refundOutcome(arena, { from, into })
}

/**
 * A payment comes to a credit that leads on to a third one, while that is just being left for a fourth: what does the
 * fourth have? All were empty, so that they are no merge group.
 */
export async function stepLeft(arena: Arena): Promise<AccountRow> {
  const [server] = twoServers(arena)
  const open = () => createFundedAccount(server, 0n)
  const [first, second, third, fourth] = [await open(), await open(), await open(), await open()]
  await server.merge({ from: first.credential, into: second.credential, reference: randomUUID() })
  await server.merge({ from: second.credential, into: third.credential, reference: randomUUID() })
  const merger = await openTestSession(arena.url)
  try {
    await merger.run('begin')
    await merger.run('select merge_into_credit($1)', [mergeOf(third, fourth)])
    const reference = randomUUID()
    const payment = server.credit({ ...MOVE, accountId: first.accountId, reference, askedAt: new Date(0) })
    await untilWaiting(arena.database, 1, payment)
    await merger.run('commit')
    await payment
  } finally {
    await merger.close()
  }
  return accountRow(arena, fourth.accountId)
}

/** What a key has used whose period is changed while a call of it is settled and not yet committed. */
export async function stepPeriod(arena: Arena): Promise<Nano | undefined> {
  const [server] = twoServers(arena)
  const { accountId } = await createFundedAccount(server, CREDIT_NANO)
  const { keyId, credential } = await createTestKey(server, { accountId })
  const holdId = await openHold(server, credential, CREDIT_NANO)
  const session = await openTestSession(arena.url)
  try {
    await session.run('begin')
    const settlement = { hold_id: holdId, state: 'settled', cost_nano: CREDIT_NANO.toString(), usage: USAGE }
    await session.run('select move_holds($1)', [JSON.stringify([settlement])])
    const change = server.updateKey({ accountId, keyId, resetPeriod: 'daily' })
    await untilWaiting(arena.database, 1, change)
    await session.run('commit')
    return (await change)?.usageNano
  } finally {
    await session.close()
  }
}

export type Account = Awaited<ReturnType<typeof createFundedAccount>>

export const MOVE = { amountNano: CREDIT_NANO, source: 'gateway', memo: {} } as const

export function mergeOf(from: Account, into: Account, options: { closes?: boolean } = {}): string {
  return JSON.stringify({
    ...options,
    from_kind: 'credit_id',
    from_secret_hash: from.credential.secretHash,
    into_credit_id_hash: into.credential.secretHash,
    reference: randomUUID(),
  })
}

export function paymentTo({ accountId }: Account): string {
  return JSON.stringify(moneyMoveRequest({ ...MOVE, accountId, reference: randomUUID() }, 'the payment'))
}

async function refundOutcome(arena: Arena, { from, into }: { from: Account; into: Account }) {
  const balance = await createEmbeddedLedger(arena).getBalance(from)
  return { into: await accountRow(arena, into.accountId), debtNano: balance?.debtNano ?? 0n }
}

/** Each batches its own calls, so that the two go out on connections of their own. */
export function twoServers({ database }: Arena): [Ledger, Ledger] {
  return [createEmbeddedLedger({ database }), createEmbeddedLedger({ database })]
}

/**
 * Runs calls while another session has locked the accounts' rows, and lets go once every call waits for
 * them. Whatever a call reads without a lock of its own it has read by then, before the other wrote: the
 * race is lost every time, not now and then.
 */
async function raceBehindLock<Result>(
  { url, database }: Arena,
  accountIds: readonly string[],
  start: () => Promise<Result>[],
): Promise<Result[]> {
  const locker = await openTestSession(url)
  try {
    await locker.run('begin')
    await locker.run('select from account where id = any ($1) for update', [accountIds])
    const calls = start()
    await untilWaiting(database, calls.length)
    await locker.run('commit')
    return await Promise.all(calls)
  } finally {
    await locker.close()
  }
}

/** Each look is a query; a call that never waits ends the test by its time, or once it has ended itself. */
export async function untilWaiting({ kysely }: Database, count: number, call?: Promise<unknown>) {
  let ended = false
  void call?.finally(() => {
    ended = true
  })
  while (!ended) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely)
    if (rows[0]?.waiting === count) return
  }
}

async function accountRow({ database }: Arena, accountId: string): Promise<AccountRow> {
  const row = await database.kysely
    .selectFrom('account')
    .select(['balance_nano', 'held_nano'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return { balanceNano: row.balance_nano ?? 0n, heldNano: row.held_nano ?? 0n }
}
