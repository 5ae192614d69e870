import 'server-only'
import { sql } from 'kysely'
import type { CreditInput } from '@/lib/ledger/domain/credits'
import type { Nano } from '@/lib/money/nano'
import { type Invoice, nextReversal } from '../domain/invoice'
import { findInvoice, lockInvoice } from './invoice-rows'
import type { PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { seconds, UNFINISHED_RETRY_SECONDS } from './poll-schedule'

/** Refunds and disputes come one at a time; a second round is another one heard of meanwhile. */
const ROUND_COUNT_MAX = 8

/**
 * Takes back what refunds and chargebacks took from the operator, with the bonus credited on it, and gives
 * back what a dispute that was won returned: compensating transfers for the difference between what is
 * taken back and what should be. Claims work as in credit-invoice.ts, so news may be delivered twice, in
 * parallel, or again after a crash. What the person does not have any more the ledger keeps as their debt.
 */
export async function reversePayment(context: PaymentsContext, invoiceId: string): Promise<void> {
  for (let round = 0; round < ROUND_COUNT_MAX; round += 1) {
    let invoice = await findInvoice(context.database, invoiceId)
    if (invoice && !isOpen(invoice) && (await wantedOf(context.database, invoice)))
      invoice = await claim(context, invoiceId)
    if (!invoice || !isOpen(invoice)) return
    await transfer(context, invoice)
    await markReversed(context, invoice)
  }
}

function isOpen(invoice: Invoice): boolean {
  return (
    invoice.reversalClaimedNano !== invoice.reversedNano ||
    invoice.reversalBonusClaimedNano !== invoice.reversedBonusNano
  )
}

async function wantedOf(database: PaymentDatabase, invoice: Invoice) {
  const { rows } = await sql<{ disputed_nano: bigint }>`
    select coalesce(sum(amount_nano), 0)::bigint as disputed_nano from invoice_dispute
    where invoice_id = ${invoice.invoiceId} and not returned`.execute(database)
  return nextReversal(invoice, rows[0]?.disputed_nano ?? 0n)
}

async function claim({ database }: PaymentsContext, invoiceId: string): Promise<Invoice | null> {
  return database.transaction().execute(async transaction => {
    const invoice = await lockInvoice(transaction, invoiceId)
    const wanted = invoice && !isOpen(invoice) ? await wantedOf(transaction, invoice) : null
    if (!invoice || !wanted) return invoice
    await sql`
      update invoice set
        reversal_claimed_nano = ${wanted.reversalClaimedNano}::bigint,
        reversal_bonus_claimed_nano = ${wanted.reversalBonusClaimedNano}::bigint,
        reversal_count = reversal_count + 1,
        next_check_at = least(next_check_at, now() + ${seconds(UNFINISHED_RETRY_SECONDS)}),
        updated_at = now()
      where id = ${invoiceId}`.execute(transaction)
    return { ...invoice, ...wanted, reversalCount: invoice.reversalCount + 1 }
  })
}

async function transfer(context: PaymentsContext, invoice: Invoice): Promise<void> {
  const { gatewayId, gatewayInvoiceId, reversalCount } = invoice
  const reference = `${gatewayId}:${gatewayInvoiceId}:reversal:${reversalCount}`
  const paidNano = invoice.reversalClaimedNano - invoice.reversedNano
  await move(context, invoice, { takenNano: paidNano, source: 'gateway', reference })
  const takenNano = invoice.reversalBonusClaimedNano - invoice.reversedBonusNano
  await move(context, invoice, { takenNano, source: 'promotion', reference: `${reference}:bonus` })
}

/** Takes from the person; below zero, gives to them. */
async function move(
  { ledger }: PaymentsContext,
  { accountId, invoiceId, gatewayId }: Invoice,
  { takenNano, source, reference }: Pick<CreditInput, 'source' | 'reference'> & { takenNano: Nano },
): Promise<void> {
  const memo = { invoice_id: invoiceId, gateway: gatewayId }
  if (takenNano > 0n) {
    const taken = { ...memo, reason: 'refund or dispute' }
    await ledger.reverse({ accountId, amountNano: takenNano, source, reference, memo: taken })
  }
  if (takenNano < 0n) {
    const given = { ...memo, reason: 'dispute won' }
    await ledger.credit({ accountId, amountNano: -takenNano, source, reference, memo: given })
  }
}

/** Loses harmlessly against another finisher of the same claim. */
async function markReversed({ database }: PaymentsContext, invoice: Invoice): Promise<void> {
  await sql`
    update invoice set
      reversed_nano = reversal_claimed_nano,
      reversed_bonus_nano = reversal_bonus_claimed_nano,
      updated_at = now()
    where id = ${invoice.invoiceId} and reversal_count = ${invoice.reversalCount}`.execute(database)
}
