import 'server-only'
import { sql } from 'kysely'
import { GatewayError } from '../domain/gateway'
import { type Invoice, nextClaim } from '../domain/invoice'
import { findInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import type { PaymentsContext } from './payments-context'
import { seconds } from './poll-schedule'

/** A page asks every second or two; its gateway is asked at most this often per invoice. */
const CHECK_INTERVAL_SECONDS = 2

/** The invoice as it stands; while news may come, the gateway is asked first. */
export async function getInvoiceStatus(
  context: PaymentsContext,
  input: { accountId: string; invoiceId: string },
): Promise<Invoice | null> {
  const invoice = await findInvoice(context.database, input.invoiceId)
  if (invoice?.accountId !== input.accountId) return null
  if (isFinished(invoice) || !(await mayCheck(context, invoice.invoiceId))) return invoice
  try {
    return await observeInvoice(context, invoice)
  } catch (error) {
    // The stored state is still the truth as far as it is known; the next request asks again.
    if (error instanceof GatewayError) return findInvoice(context.database, invoice.invoiceId)
    throw error
  }
}

function isFinished(invoice: Invoice): boolean {
  const isCredited = invoice.creditedNano === invoice.claimedNano && nextClaim(invoice) === null
  return invoice.state === 'Settled' && isCredited
}

/** One of many simultaneous requests wins the right to ask, by the database's clock. */
async function mayCheck({ database }: PaymentsContext, invoiceId: string): Promise<boolean> {
  const { rows } = await sql`
    update invoice set checked_at = now()
    where id = ${invoiceId} and next_check_at is not null
      and (checked_at is null or checked_at < now() - ${seconds(CHECK_INTERVAL_SECONDS)})
    returning id`.execute(database)
  return rows.length > 0
}
