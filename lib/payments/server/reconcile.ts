import 'server-only'
import { sql } from 'kysely'
import type { ReconcileResult } from '../domain/payments'
import { findInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import type { PaymentsContext } from './payments-context'
import { nextCheckAt } from './poll-schedule'

/** Invoices looked at together: quick enough for a full batch, gentle on a gateway. */
const PARALLEL_COUNT = 4

/**
 * Looks at the invoices whose time for it has come. Taking one moves its next look ahead in the same
 * statement, so two reconcilers never take the same, and one that cannot be asked comes up again.
 */
export async function reconcile(
  context: PaymentsContext,
  input: { invoiceCountMax: number },
): Promise<ReconcileResult> {
  const invoiceIds = await takeDue(context, input.invoiceCountMax)
  const result: ReconcileResult = { checkedCount: 0, failedCount: 0, creditedNano: 0n }
  const queue = invoiceIds.values()
  const work = async () => {
    for (const invoiceId of queue) {
      const creditedNano = await look(context, invoiceId)
      if (creditedNano === null) result.failedCount += 1
      else result.checkedCount += 1
      result.creditedNano += creditedNano ?? 0n
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_COUNT }, work))
  return result
}

async function takeDue({ database }: PaymentsContext, invoiceCountMax: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update invoice set next_check_at = ${nextCheckAt()}, checked_at = now()
    where id in (
      select id from invoice where next_check_at <= now()
      order by next_check_at limit ${invoiceCountMax}::int for update skip locked
    )
    returning id`.execute(database)
  return rows.map(row => row.id)
}

/** Null when this one failed: the others still get their turn. */
async function look(context: PaymentsContext, invoiceId: string): Promise<bigint | null> {
  try {
    const before = await findInvoice(context.database, invoiceId)
    if (!before) return 0n
    const after = await observeInvoice(context, before)
    return after.creditedNano - before.creditedNano
  } catch (error) {
    process.stderr.write(
      `reconcile: invoice ${invoiceId}: ${error instanceof Error ? error.name : 'unknown error'}\n`,
    )
    return null
  }
}
