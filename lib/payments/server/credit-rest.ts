import 'server-only'
import { sql } from 'kysely'
import { minNano, type Nano } from '@/lib/money/nano'
import { type Invoice, restNano } from '../domain/invoice'
import type { CreditRestInput } from '../domain/payments'
import { creditInvoice } from './credit-invoice'
import { findInvoice, lockInvoice } from './find-invoice'
import type { PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { toInvoice } from './to-invoice'

const INVOICE_COUNT_MAX = 1_000

/** What arrived beyond the limit waits here until somebody credits it or gives it back at the gateway. */
export async function listUnderReview(database: PaymentDatabase): Promise<Invoice[]> {
  const rows = await database
    .selectFrom('invoice')
    .selectAll()
    // As the index says it.
    .where(sql<boolean>`paid_nano > refund_seen_nano + maximum_nano + approved_nano`)
    .orderBy('created_at')
    .limit(INVOICE_COUNT_MAX)
    .execute()
  return rows.map(toInvoice)
}

/** Approves the rest as it is at this moment, once, and credits it; what arrives afterwards waits anew. */
export async function creditRest(
  context: PaymentsContext,
  input: CreditRestInput,
): Promise<{ approvedNano: Nano; invoice: Invoice } | null> {
  const found = await findInvoice(context.database, input.invoiceId)
  if (!found) return null
  const { invoiceId } = found
  const approvedNano = await context.database.transaction().execute(async transaction => {
    const invoice = await lockInvoice(transaction, invoiceId)
    const rest = invoice ? restNano(invoice) : 0n
    const nano = input.amountNano === null ? rest : minNano(rest, input.amountNano)
    if (nano > 0n)
      await sql`
        update invoice set
          approved_nano = approved_nano + ${nano}::bigint,
          approved_by = ${input.operator}::text,
          approved_reason = ${input.reason}::text,
          updated_at = now()
        where id = ${invoiceId}`.execute(transaction)
    return nano
  })
  await creditInvoice(context, invoiceId)
  return { approvedNano, invoice: (await findInvoice(context.database, invoiceId)) ?? found }
}
