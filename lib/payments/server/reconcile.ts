import 'server-only'
import { sql } from 'kysely'
import { log } from '@/lib/observability/log'
import type { ReconcileResult } from '../domain/payments'
import { findInvoice } from './invoice-rows'
import { observeInvoice } from './observe-invoice'
import type { PaymentsContext } from './payments-context'
import { nextCheckAt, seconds } from './poll-schedule'

/** Invoices checked in parallel: fast enough for a full batch, easy on a gateway. */
const PARALLEL_COUNT = 4
/** A gateway that hangs must not hold up a run longer than hosting providers let a request take. */
const RUN_MS_MAX = 45_000
/** Accounts created for a payment that never came, removed in one run. */
const UNPAID_COUNT_MAX = 500
/** So that an old invoice whose gateway could not be asked does not wait half a day for its next turn. */
const FAILED_RETRY_SECONDS = 5 * 60
/**
 * A day longer than an invoice is checked otherwise. A wallet or a store that has been replaced answers to none of its
 * invoices any more; asked about all of them for ever, it would leave no time for the new ones.
 */
const RETRIED_SECONDS_AFTER_EXPIRY = 31 * 24 * 3600

/**
 * Checks the invoices that are due. The same statement that picks one also postpones its next check, so that two
 * reconcilers never pick the same.
 */
export async function reconcileInvoices(
  context: PaymentsContext,
  input: { invoiceCountMax: number },
): Promise<ReconcileResult> {
  const result: ReconcileResult = { checkedCount: 0, failedCount: 0, creditedNano: 0n }
  const endsAtMs = performance.now() + RUN_MS_MAX
  let leftCount = input.invoiceCountMax
  while (leftCount > 0 && performance.now() < endsAtMs) {
    const invoiceIds = await takeDue(context, Math.min(leftCount, PARALLEL_COUNT))
    if (invoiceIds.length === 0) break
    leftCount -= invoiceIds.length
    for (const creditedNano of await Promise.all(invoiceIds.map(each => checkInvoice(context, each)))) {
      if (creditedNano === null) result.failedCount += 1
      else result.checkedCount += 1
      result.creditedNano += creditedNano ?? 0n
    }
  }
  await sql`select remove_unpaid_accounts(${UNPAID_COUNT_MAX}::int)`.execute(context.database)
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

/** The amount that was credited; null if this check failed. The others still get their turn. */
async function checkInvoice(context: PaymentsContext, invoiceId: string): Promise<bigint | null> {
  try {
    const before = await findInvoice(context.database, invoiceId)
    if (!before) return 0n
    const after = await observeInvoice(context, before)
    return after.creditedNano - before.creditedNano
  } catch (error) {
    log.warn('an invoice could not be checked at its gateway', { invoiceId, error })
    await retrySoon(context, invoiceId)
    return null
  }
}

/** Money that is on its way into or out of the ledger waits for its gateway, however long that takes. */
async function retrySoon({ database }: PaymentsContext, invoiceId: string): Promise<void> {
  await sql`
    update invoice set next_check_at = least(next_check_at, now() + ${seconds(FAILED_RETRY_SECONDS)})
    where id = ${invoiceId} and (
      now() < expires_at + ${seconds(RETRIED_SECONDS_AFTER_EXPIRY)}
      or claimed_nano > credited_nano or bonus_claimed_nano > bonus_nano
      or reversal_claimed_nano <> reversed_nano or reversal_bonus_claimed_nano <> reversed_bonus_nano
    )`.execute(database)
}
