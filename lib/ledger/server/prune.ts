import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { askDatabase } from './ask-database'

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const ACCOUNT_COUNT = 1_000
/** Holds per transaction, for which the account's own calls have to wait: some hundredths of a second. */
const HOLD_COUNT = 500

export interface Pruned {
  /** Earlier calls are in monthly totals. */
  before: Date
  holdCount: number
}

/**
 * Adds the calls that ended more than this many whole months ago to monthly totals, from which `ledger:check` can still
 * prove every balance. It may be killed at any time, and several may run at once.
 *
 * @throws LedgerError unavailable
 */
export async function pruneHolds(database: Database, monthCount: number): Promise<Pruned> {
  const { kysely } = database
  const before = sql<Date>`date_trunc('month', now() - make_interval(months => ${monthCount}), 'UTC')`
  const pruned: Pruned = {
    before: (await askDatabase(() => kysely.selectNoFrom(before.as('before')).executeTakeFirstOrThrow()))
      .before,
    holdCount: 0,
  }
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const last: string = after
    const page = await askDatabase(() =>
      kysely
        .selectFrom('account')
        .where('id', '>', last)
        .orderBy('id')
        .limit(ACCOUNT_COUNT)
        .select(['id', isDue(before)])
        .execute(),
    )
    for (const { id, due } of page) if (due) pruned.holdCount += await pruneAccount(database, id, monthCount)
    after = page.at(-1)?.id
  }
  return pruned
}

/** By the account's oldest call, since for `exists` PostgreSQL would list every old call again for each page. */
const isDue = (before: ReturnType<typeof sql<Date>>) =>
  sql<boolean>`coalesce((
    select h.created_at from hold h where h.account_id = account.id and h.state <> 'open'
    order by h.created_at, h.id limit 1
  ) < ${before}, false)`.as('due')

async function pruneAccount({ kysely }: Database, accountId: string, monthCount: number): Promise<number> {
  let total = 0
  for (let count = HOLD_COUNT; count === HOLD_COUNT; total += count) {
    const { rows } = await askDatabase(() =>
      sql<{ count: number }>`
        select prune_account(${accountId}, ${monthCount}, ${HOLD_COUNT}) as count`.execute(kysely),
    )
    count = rows[0]?.count ?? 0
  }
  return total
}
