import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { Nano } from '@/lib/money/nano'
import { LedgerError } from '../domain/ledger-error'
import { askDatabase } from './ask-database'
import { checkLedger, type LedgerReport } from './check-ledger'
import { type Pruned, pruneHolds } from './prune'
import { replaceReceiptKey } from './receipts'

/** What only an operator can see and do. Contents of conversations are never stored. */
export interface Books {
  getAccount(input: { accountId: string }): Promise<AccountSummary | null>
  usageByDay(input: { dayCountMax: number }): Promise<UsageDay[]>
  check(): Promise<LedgerReport>
  /** Adds calls older than this many months to monthly totals. This cannot be undone. */
  prune(input: { monthCount: number }): Promise<Pruned>
  /** From now on receipts are signed with a new key; earlier ones can still be checked. */
  replaceReceiptKey(): Promise<void>
}

interface AccountSummary {
  accountId: string
  balanceNano: Nano
  heldNano: Nano
  /** The account's own debt; while there is any, nothing is available. */
  debtNano: Nano
  /** The account that this one was last emptied into: payments requested before that are passed on there. */
  leftForId: string | null
  createdAt: Date
}

interface UsageDay {
  /** `2026-11-20`, or `2024-08` for calls that are in monthly totals; in UTC. */
  day: string
  callCount: number
  failedCallCount: number
  chargedNano: Nano
  /** What upstreams billed beyond what could be charged. */
  lossNano: Nano
}

export function createBooks({ database }: { database: Database }): Books {
  return {
    getAccount: ({ accountId }) => askDatabase(async () => (await findAccount(database, accountId)) ?? null),
    usageByDay: ({ dayCountMax }) => askDatabase(() => sumUsageByDay(database, dayCountMax)),
    check: () => checkLedger({ database }),
    prune: ({ monthCount }) => pruneHolds(database, monthCount),
    replaceReceiptKey: () => replaceReceiptKey(database),
  }
}

export const NO_BOOKS_HERE =
  'This deployment keeps no ledger. Run this command at the deployment that PAYMENTS_HOST names.'

/** The host keeps the books. This deployment's own tables are empty, and reading them would mislead. */
export function createHostBooks(): Books {
  const refuse = async (): Promise<never> => {
    throw new LedgerError('unavailable', NO_BOOKS_HERE)
  }
  return { getAccount: refuse, usageByDay: refuse, check: refuse, prune: refuse, replaceReceiptKey: refuse }
}

function findAccount(database: Database, accountId: string): Promise<AccountSummary | undefined> {
  return database.kysely
    .selectFrom('account')
    .where('account.id', '=', accountId)
    .where('kind', '=', 'credit')
    .select([
      'account.id as accountId',
      'balance_nano as balanceNano',
      'held_nano as heldNano',
      'debt_nano as debtNano',
      ({ selectFrom }) =>
        selectFrom('leaving')
          .whereRef('leaving.account_id', '=', 'account.id')
          .orderBy('leaving.id', 'desc')
          .limit(1)
          .select('for_account_id')
          .as('leftForId'),
      'created_at as createdAt',
    ])
    .executeTakeFirst()
}

/**
 * The days with calls, newest first. Sums of many charges exceed 64 bits, so that PostgreSQL returns `numeric`, which
 * drivers hand over as text.
 */
async function sumUsageByDay(database: Database, dayCountMax: number): Promise<UsageDay[]> {
  const since = sql<Date>`(date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${dayCountMax - 1}))`
  const { rows } = await sql<Record<'day' | 'calls' | 'failed' | 'charged' | 'loss', string>>`
    select day, sum(calls)::text as calls, sum(failed)::text as failed, sum(charged)::text as charged,
      sum(loss)::text as loss
    from (
      select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as calls,
        count(*) filter (where state = 'released') as failed, sum(charged_nano) as charged, sum(loss_nano) as loss
      from hold where state <> 'open' and created_at >= ${since} at time zone 'UTC' group by 1
      union all
      select to_char(month, 'YYYY-MM'), call_count, failed_call_count, charged_nano, loss_nano
      from usage_month where month >= ${since}
    ) calls
    group by day order by day desc limit ${dayCountMax}`.execute(database.kysely)
  return rows.map(row => ({
    day: row.day,
    callCount: Number(row.calls),
    failedCallCount: Number(row.failed),
    chargedNano: BigInt(row.charged),
    lossNano: BigInt(row.loss),
  }))
}
