import 'server-only'
import { sql } from 'kysely'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { type Invoice, nextClaim } from '../domain/invoice'
import { moveClaims } from './claims'
import type { PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'

/** Credits the difference between what was paid, up to the limit, and what has been credited so far. */
export const creditInvoice = (context: PaymentsContext, invoiceId: string): Promise<void> =>
  moveClaims(context, invoiceId, { isOpen, next, transfer, noteMoved })

function isOpen(invoice: Invoice): boolean {
  return invoice.claimedNano > invoice.creditedNano || invoice.bonusClaimedNano > invoice.bonusNano
}

async function next(_: PaymentDatabase, invoice: Invoice) {
  const claim = nextClaim(invoice)
  return claim && { claimed_nano: claim.claimedNano, bonus_claimed_nano: claim.bonusClaimedNano }
}

async function transfer({ database, ledger }: PaymentsContext, invoice: Invoice): Promise<void> {
  const { accountId, invoiceId, gatewayId, methodId, claimedNano, bonusClaimedNano } = invoice
  const askedAt = invoice.createdAt
  const subject = `${gatewayId}:${invoice.gatewayInvoiceId}`
  const memo = { invoice_id: invoiceId, gateway: gatewayId, method: methodId }
  const amountNano = claimedNano - invoice.creditedNano
  if (amountNano > 0n) {
    await ledger.credit({
      accountId,
      amountNano,
      source: 'gateway',
      reference: `${subject}:paid:${claimedNano}`,
      askedAt,
      memo:
        claimedNano > invoice.maximumNano ? { ...memo, ...(await approvalOf(database, invoiceId)) } : memo,
    })
  }
  const bonusNano = bonusClaimedNano - invoice.bonusNano
  if (bonusNano > 0n) {
    const reference = `${subject}:bonus:${bonusClaimedNano}`
    await ledger.credit({ accountId, amountNano: bonusNano, source: 'promotion', reference, askedAt, memo })
  }
}

/** Who approved the credit, and why, as in every transfer by an operator. */
async function approvalOf(database: PaymentDatabase, invoiceId: string): Promise<Record<string, string>> {
  const row = await database
    .selectFrom('invoice')
    .select(['approved_by', 'approved_reason'])
    .where('id', '=', invoiceId)
    .executeTakeFirst()
  return row?.approved_by ? { operator: row.approved_by, reason: row.approved_reason ?? '' } : {}
}

/**
 * Only the first to finish the claim counts it in the metrics. Totals only grow, so that whoever still finds those from
 * before the claim finds this claim.
 */
async function noteMoved({ database }: PaymentsContext, invoice: Invoice): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update invoice set
      credited_nano = claimed_nano,
      bonus_nano = bonus_claimed_nano,
      updated_at = now()
    where id = ${invoice.invoiceId}
      and credited_nano = ${invoice.creditedNano}::bigint
      and bonus_nano = ${invoice.bonusNano}::bigint`.execute(database)
  if (numAffectedRows === 0n) return
  const creditedNano =
    invoice.claimedNano - invoice.creditedNano + (invoice.bonusClaimedNano - invoice.bonusNano)
  const method = invoice.methodId
  if (invoice.creditedNano === 0n) metrics.invoicesCredited.inc({ method })
  metrics.creditedUsd.inc({ method }, nanoToUsdNumber(creditedNano))
}
