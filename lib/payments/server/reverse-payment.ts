import 'server-only'
import { sql } from 'kysely'
import type { Invoice } from '../domain/invoice'
import { findInvoice } from './find-invoice'
import type { PaymentsContext } from './payments-context'
import { seconds, UNFINISHED_RETRY_SECONDS } from './poll-schedule'

/** Refunds come one at a time; a second round is a second refund heard of meanwhile. */
const ROUND_COUNT_MAX = 8

/**
 * Takes back what the gateway gave back: compensating transfers for the difference between the total
 * refunded and the total already taken back, never more than was credited. Claims work as in
 * credit-invoice.ts, so partial refunds may be delivered twice, in parallel, or again after a crash.
 */
export async function reversePayment(context: PaymentsContext, invoiceId: string): Promise<void> {
  for (let round = 0; round < ROUND_COUNT_MAX; round += 1) {
    await claim(context, invoiceId)
    const invoice = await findInvoice(context.database, invoiceId)
    if (!invoice || invoice.refundClaimedNano === invoice.refundedNano) return
    await transfer(context, invoice)
    await markReversed(context, invoice)
  }
}

async function claim({ database }: PaymentsContext, invoiceId: string): Promise<void> {
  await sql`
    update invoice set
      refund_claimed_nano = least(refund_seen_nano, credited_nano),
      next_check_at = least(next_check_at, now() + ${seconds(UNFINISHED_RETRY_SECONDS)}),
      updated_at = now()
    where id = ${invoiceId}
      and refund_claimed_nano = refunded_nano
      and least(refund_seen_nano, credited_nano) > refund_claimed_nano`.execute(database)
}

async function transfer({ ledger }: PaymentsContext, invoice: Invoice): Promise<void> {
  const { accountId, refundClaimedNano, refundedNano, bonusNano: given, creditedNano } = invoice
  const reference = `${invoice.gatewayId}:${invoice.gatewayInvoiceId}:refund:${refundClaimedNano}`
  const memo = { invoice_id: invoice.invoiceId, gateway: invoice.gatewayId, reason: 'refund' }
  const amountNano = refundClaimedNano - refundedNano
  await ledger.reverse({ accountId, amountNano, source: 'gateway', reference, memo })
  const bonusNano = (given * refundClaimedNano) / creditedNano - (given * refundedNano) / creditedNano
  if (bonusNano > 0n) {
    await ledger.reverse({
      accountId,
      amountNano: bonusNano,
      source: 'promotion',
      reference: `${reference}:bonus`,
      memo,
    })
  }
}

/** Loses harmlessly against another finisher of the same claim. */
async function markReversed({ database }: PaymentsContext, invoice: Invoice): Promise<void> {
  await sql`
    update invoice set refunded_nano = refund_claimed_nano, updated_at = now()
    where id = ${invoice.invoiceId}
      and refund_claimed_nano = ${invoice.refundClaimedNano}::bigint
      and refunded_nano = ${invoice.refundedNano}::bigint`.execute(database)
}
