import 'server-only'
import { sql } from 'kysely'
import type { CreditInput } from '@/lib/ledger/domain/credits'
import type { Nano } from '@/lib/money/nano'
import { TOLD_NANO_MAX } from '../domain/gateway'
import { type Invoice, nextReversal } from '../domain/invoice'
import { moveClaims } from './claims'
import type { PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'

/**
 * Takes back from the person what refunds and chargebacks took from the operator, with its bonus, and gives back what a
 * won dispute or a failed refund returned. It transfers the difference between what has been taken back and what should
 * be. What the person no longer has becomes their debt in the ledger.
 */
export const reversePayment = (context: PaymentsContext, invoiceId: string): Promise<void> =>
  moveClaims(context, invoiceId, { isOpen, next, transfer, noteMoved })

function isOpen(invoice: Invoice): boolean {
  return (
    invoice.reversalClaimedNano !== invoice.reversedNano ||
    invoice.reversalBonusClaimedNano !== invoice.reversedBonusNano
  )
}

async function next(database: PaymentDatabase, invoice: Invoice) {
  const { rows } = await sql<{ disputed_nano: bigint }>`
    select least(coalesce(sum(amount_nano), 0), ${TOLD_NANO_MAX})::bigint as disputed_nano from invoice_dispute
    where invoice_id = ${invoice.invoiceId} and not returned`.execute(database)
  const claim = nextReversal(invoice, rows[0]?.disputed_nano ?? 0n)
  return (
    claim && {
      reversal_claimed_nano: claim.reversalClaimedNano,
      reversal_bonus_claimed_nano: claim.reversalBonusClaimedNano,
      reversal_count: invoice.reversalCount + 1,
    }
  )
}

async function transfer(context: PaymentsContext, invoice: Invoice): Promise<void> {
  const { gatewayId, gatewayInvoiceId, reversalCount } = invoice
  const reference = `${gatewayId}:${gatewayInvoiceId}:reversal:${reversalCount}`
  const paidNano = invoice.reversalClaimedNano - invoice.reversedNano
  await move(context, invoice, { takenNano: paidNano, source: 'gateway', reference })
  const takenNano = invoice.reversalBonusClaimedNano - invoice.reversedBonusNano
  await move(context, invoice, { takenNano, source: 'promotion', reference: `${reference}:bonus` })
}

/** Takes from the person; if negative, gives to them. */
async function move(
  { ledger }: PaymentsContext,
  { accountId, invoiceId, gatewayId, createdAt: askedAt }: Invoice,
  { takenNano, source, reference }: Pick<CreditInput, 'source' | 'reference'> & { takenNano: Nano },
): Promise<void> {
  const memo = { invoice_id: invoiceId, gateway: gatewayId }
  if (takenNano > 0n) {
    const taken = { ...memo, reason: 'refund or dispute' }
    await ledger.reverse({ accountId, amountNano: takenNano, source, reference, memo: taken })
  }
  if (takenNano < 0n) {
    const given = { ...memo, reason: 'dispute won or refund failed' }
    await ledger.credit({ accountId, amountNano: -takenNano, source, reference, askedAt, memo: given })
  }
}

async function noteMoved({ database }: PaymentsContext, invoice: Invoice): Promise<void> {
  await sql`
    update invoice set
      reversed_nano = reversal_claimed_nano,
      reversed_bonus_nano = reversal_bonus_claimed_nano,
      updated_at = now()
    where id = ${invoice.invoiceId} and reversal_count = ${invoice.reversalCount}`.execute(database)
}
