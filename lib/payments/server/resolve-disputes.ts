import 'server-only'
import { sql } from 'kysely'
import type { Dispute } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import type { PaymentsContext } from './payments-context'

/**
 * A chargeback takes the disputed amount back; a dispute that the operator wins returns to the person
 * exactly what the chargeback could take, once. A dispute that was already won when first heard of
 * moves nothing. Every step repeats harmlessly.
 */
export async function resolveDisputes(
  context: PaymentsContext,
  invoice: Invoice,
  disputes: readonly Dispute[],
): Promise<void> {
  for (const dispute of disputes) await record(context, invoice, dispute)
  const rows = await context.database
    .selectFrom('invoice_dispute')
    .selectAll()
    .where('invoice_id', '=', invoice.invoiceId)
    .where('closed', '=', false)
    .execute()
  for (const row of rows) {
    const amountNano = row.amount_nano
    const takenNano =
      row.taken_nano === null ? await withdraw(context, invoice, row.dispute_id, amountNano) : row.taken_nano
    if (row.returned) await giveBack(context, invoice, row.dispute_id, takenNano)
  }
}

/** A dispute first heard of as won starts closed: nothing was withdrawn from the person. */
async function record({ database }: PaymentsContext, invoice: Invoice, dispute: Dispute): Promise<void> {
  const returned = dispute.state === 'returned'
  await sql`
    insert into invoice_dispute (gateway, dispute_id, invoice_id, amount_nano, returned, closed)
    values (${invoice.gatewayId}, ${dispute.disputeId}, ${invoice.invoiceId},
      least(${dispute.amountNano}::bigint, ${invoice.creditedNano}::bigint), ${returned}, ${returned})
    on conflict (gateway, dispute_id) do update
      set returned = invoice_dispute.returned or excluded.returned`.execute(database)
}

async function withdraw(
  { database, ledger }: PaymentsContext,
  invoice: Invoice,
  disputeId: string,
  amountNano: bigint,
): Promise<bigint> {
  if (amountNano > 0n) {
    const { takenNano } = await ledger.reverse({
      accountId: invoice.accountId,
      amountNano,
      source: 'gateway',
      reference: `${invoice.gatewayId}:dispute:${disputeId}`,
      memo: { invoice_id: invoice.invoiceId, gateway: invoice.gatewayId, reason: 'dispute' },
    })
    await sql`
      update invoice_dispute set taken_nano = ${takenNano}::bigint
      where gateway = ${invoice.gatewayId} and dispute_id = ${disputeId} and taken_nano is null`.execute(
      database,
    )
    return takenNano
  }
  return 0n
}

async function giveBack(
  { database, ledger }: PaymentsContext,
  invoice: Invoice,
  disputeId: string,
  takenNano: bigint,
): Promise<void> {
  if (takenNano > 0n) {
    await ledger.credit({
      accountId: invoice.accountId,
      amountNano: takenNano,
      source: 'gateway',
      reference: `${invoice.gatewayId}:dispute:${disputeId}:returned`,
      memo: { invoice_id: invoice.invoiceId, gateway: invoice.gatewayId, reason: 'dispute won' },
    })
  }
  await database
    .updateTable('invoice_dispute')
    .set({ closed: true })
    .where('gateway', '=', invoice.gatewayId)
    .where('dispute_id', '=', disputeId)
    .execute()
}
