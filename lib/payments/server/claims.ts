import 'server-only'
import { sql, type Updateable } from 'kysely'
import type { Invoice } from '../domain/invoice'
import { findInvoice, lockInvoice, READ_AT, toInvoice } from './invoice-rows'
import type { InvoiceTable, PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { seconds, UNFINISHED_RETRY_SECONDS } from './poll-schedule'

/** Each round moves everything seen so far; more than two are needed only while events keep arriving. */
const ROUND_COUNT_MAX = 8

/** One way in which an invoice moves money: how its claims are made, and how the ledger carries them out. */
export interface Claims {
  /** Whether something is claimed but not yet recorded as moved. */
  isOpen(invoice: Invoice): boolean
  /** What the next claim writes into the invoice; null if there is nothing to move. */
  next(database: PaymentDatabase, invoice: Invoice): Promise<Updateable<InvoiceTable> | null>
  /** Moves the money under a reference of the claim, which the ledger accepts only once. */
  transfer(context: PaymentsContext, invoice: Invoice): Promise<void>
  /** Harmless if somebody else has already finished the same claim. */
  noteMoved(context: PaymentsContext, invoice: Invoice): Promise<void>
}

/**
 * Moves the difference between what an invoice should have moved and what it has moved so far.
 *
 * Only one claim is open at a time: a claim is made only if nothing is claimed but not yet moved. Whoever finds an open
 * claim (a concurrent delivery, or anybody after a crash) finishes it under the same references. So money moves exactly
 * once: duplicates are detected when it moves, not when an event is received.
 */
export async function moveClaims(context: PaymentsContext, invoiceId: string, claims: Claims): Promise<void> {
  for (let round = 0; round < ROUND_COUNT_MAX; round += 1) {
    let invoice = await findInvoice(context.database, invoiceId)
    if (invoice && !claims.isOpen(invoice) && (await claims.next(context.database, invoice)))
      invoice = await openClaim(context, invoiceId, claims)
    if (!invoice || !claims.isOpen(invoice)) return
    await claims.transfer(context, invoice)
    await claims.noteMoved(context, invoice)
  }
}

async function openClaim(
  { database }: PaymentsContext,
  invoiceId: string,
  { isOpen, next }: Claims,
): Promise<Invoice | null> {
  return database.transaction().execute(async transaction => {
    const invoice = await lockInvoice(transaction, invoiceId)
    const claim = invoice && !isOpen(invoice) ? await next(transaction, invoice) : null
    if (!claim) return invoice
    const row = await transaction
      .updateTable('invoice')
      .set({
        ...claim,
        next_check_at: sql`least(next_check_at, now() + ${seconds(UNFINISHED_RETRY_SECONDS)})`,
        updated_at: sql`now()`,
      })
      .where('id', '=', invoiceId)
      .returningAll()
      .returning(READ_AT)
      .executeTakeFirstOrThrow()
    return toInvoice(row)
  })
}
