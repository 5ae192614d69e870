import 'server-only'
import { CompiledQuery } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { Nano } from '@/lib/money/nano'
import { askDatabase } from './ask-database'
import { CHECK_QUERIES, SYSTEM_BALANCES_QUERY } from './check-queries'

/** Enough to see what is wrong; a broken ledger could differ in every row. */
const DIFFERENCE_COUNT_MAX = 100

/**
 * Each query reads whole tables and normally finds nothing, while the planner expects it to end at the first hundred
 * rows. A hash that is shared by parallel workers would be in /dev/shm, of which Docker gives a container 64 MB. A
 * provider's statement timeout is meant for pages, not for this.
 */
const WHOLE_TABLES = [
  `work_mem = '64MB'`,
  'enable_nestloop = off',
  'enable_indexscan = off',
  'enable_parallel_hash = off',
  'statement_timeout = 0',
] as const

interface LedgerDifference {
  /** The invariant that does not hold, as a sentence. */
  invariant: string
  /** The account, key, hold or transfer. */
  subject: string
  expectedNano: Nano
  actualNano: Nano
}

export interface LedgerReport {
  differences: LedgerDifference[]
  /** The sum of all credits. */
  creditNano: Nano
  /** The sum of all debts. */
  debtNano: Nano
  /** By kind: gateway, promotion, operator, revenue, operator_loss. With credit less debt they sum to zero. */
  systemBalancesNano: Record<string, Nano>
}

/**
 * Recomputes every balance, every hold and every key's usage from transfers and holds, in one snapshot, so that
 * concurrent calls cause no differences.
 *
 * @throws LedgerError unavailable
 */
export function checkLedger({ database }: { database: Database }): Promise<LedgerReport> {
  return askDatabase(() =>
    database.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async transaction => {
        const ask = async <Row>(sql: string, parameters: unknown[] = []) =>
          (await transaction.executeQuery<Row>(CompiledQuery.raw(sql, parameters))).rows
        for (const setting of WHOLE_TABLES) await ask(`set local ${setting}`)
        const differences: LedgerDifference[] = []
        for (const [invariant, query] of Object.entries(CHECK_QUERIES)) {
          const rows = await ask<{ subject: string; expected: Nano; actual: Nano }>(query, [
            DIFFERENCE_COUNT_MAX,
          ])
          differences.push(
            ...rows.map(({ subject, expected, actual }) => ({
              invariant,
              subject,
              expectedNano: expected,
              actualNano: actual,
            })),
          )
        }
        return { differences, ...(await totals(ask)) }
      }),
  )
}

type Ask = <Row>(sql: string) => Promise<Row[]>

async function totals(ask: Ask): Promise<Omit<LedgerReport, 'differences'>> {
  const [people] = await ask<{ credit: Nano; debt: Nano }>(
    `select coalesce(sum(balance_nano), 0)::bigint as credit, coalesce(sum(debt_nano), 0)::bigint as debt
      from account where kind = 'credit'`,
  )
  const system = await ask<{ kind: string; balance_nano: Nano }>(SYSTEM_BALANCES_QUERY)
  return {
    creditNano: people?.credit ?? 0n,
    debtNano: people?.debt ?? 0n,
    systemBalancesNano: Object.fromEntries(system.map(row => [row.kind, row.balance_nano])),
  }
}
