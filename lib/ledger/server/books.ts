import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { Nano } from '@/lib/money/nano'
import { LedgerError } from '../domain/ledger-error'
import { askDatabase } from './ask-database'
import { checkLedger, type LedgerReport } from './check-ledger'
import { type Pruned, pruneHolds } from './prune'
import { replaceReceiptKey } from './receipts'

/** What an operator may look at, beyond what any credential can. Contents are never kept, so never shown. */
export interface Books {
  getAccount(input: { accountId: string }): Promise<AccountSummary | null>
  usageByDay(input: { dayCountMax: number }): Promise<UsageDay[]>
  check(): Promise<LedgerReport>
  /** Adds calls of more than so many months ago to monthly totals, which nothing takes back. */
  prune(input: { monthCount: number }): Promise<Pruned>
  /** The next receipt is signed with another key; those of before can still be checked. */
  replaceReceiptKey(): Promise<void>
}

interface AccountSummary {
  accountId: string
  balanceNano: Nano
  heldNano: Nano
  /** What the account owes itself; nothing of it is available then. */
  debtNano: Nano
  createdAt: Date
}

interface UsageDay {
  /** `2026-11-20`, in the database's time zone; `2024-08` of calls that are in monthly totals, in UTC. */
  day: string
  callCount: number
  failedCallCount: number
  chargedNano: Nano
  /** What upstreams delivered beyond what could be charged. */
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

/** The books lie with the host. This deployment's own tables are empty: to read them would be a wrong answer. */
export function createHostBooks(): Books {
  const refuse = async (): Promise<never> => {
    throw new LedgerError(
      'unavailable',
      'This deployment keeps no ledger: run this command where PAYMENTS_HOST points.',
    )
  }
  return { getAccount: refuse, usageByDay: refuse, check: refuse, prune: refuse, replaceReceiptKey: refuse }
}

function findAccount(database: Database, accountId: string): Promise<AccountSummary | undefined> {
  return database.kysely
    .selectFrom('account')
    .where('id', '=', accountId)
    .where('kind', '=', 'credit')
    .select([
      'id as accountId',
      'balance_nano as balanceNano',
      'held_nano as heldNano',
      'debt_nano as debtNano',
      'created_at as createdAt',
    ])
    .executeTakeFirst()
}

/**
 * Of so many days up to today those that had calls, newest first. Sums of many charges leave 64 bits as
 * `numeric`, which drivers hand over as text.
 */
async function sumUsageByDay(database: Database, dayCountMax: number): Promise<UsageDay[]> {
  const since = sql<Date>`date_trunc('day', now()) - make_interval(days => ${dayCountMax - 1})`
  const { rows } = await sql<Record<'day' | 'calls' | 'failed' | 'charged' | 'loss', string>>`
    select day, sum(calls)::text as calls, sum(failed)::text as failed, sum(charged)::text as charged,
      sum(loss)::text as loss
    from (
      select to_char(created_at, 'YYYY-MM-DD') as day, count(*) as calls,
        count(*) filter (where state = 'released') as failed, sum(charged_nano) as charged, sum(loss_nano) as loss
      from hold where state <> 'open' and created_at >= ${since} group by 1
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
