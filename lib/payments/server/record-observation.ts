import 'server-only'
import { sql } from 'kysely'
import { maxNano, minNano } from '@/lib/money/nano'
import type { Dispute, Gateway, Observation } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import { statesBefore } from '../domain/invoice-states'
import type { PaymentDatabase } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { recordArrivals } from './record-arrivals'

/**
 * Merges what a gateway reports into what is known: states follow the table, and totals only grow. Reports in any order
 * and number lead to the same row. Whether the invoice has expired is decided by the database's clock. Full payment
 * settles an invoice, whatever its gateway calls it: "Expired, paid late" is Settled here.
 *
 * @returns false if something was paid that cannot be counted yet, because no rate is known
 */
export async function recordObservation(
  { database }: PaymentsContext,
  gateway: Gateway,
  invoice: Invoice,
  observation: Observation,
): Promise<boolean> {
  const arrived = await recordArrivals({ database }, gateway, invoice, observation)
  const paidNano = maxNano(observation.paidNano, arrived.paidNano)
  const inTimeNano = minNano(paidNano, maxNano(observation.inTimeNano, arrived.inTimeNano))
  const state = paidNano >= invoice.amountNano ? 'Settled' : observation.state
  await sql`
    update invoice set
      state = case
        when state = any(${statesBefore(state)}::text[]) then ${state}::text
        when state = 'New' and expires_at <= now() then 'Expired'
        else state
      end,
      paid_nano = greatest(paid_nano, ${paidNano}::bigint),
      in_time_nano = greatest(in_time_nano, ${inTimeNano}::bigint),
      paid_late = paid_late or ${observation.paidLate || arrived.paidLate}::boolean,
      refund_seen_nano = greatest(refund_seen_nano, ${observation.refundedNano}::bigint),
      updated_at = now()
    where id = ${invoice.invoiceId}`.execute(database)
  for (const dispute of observation.disputes) await recordDispute(database, invoice, dispute)
  return !arrived.isWaiting
}

/** A dispute that was won stays won, whatever is reported later. What is told of another invoice changes nothing. */
async function recordDispute(database: PaymentDatabase, invoice: Invoice, dispute: Dispute): Promise<void> {
  await sql`
    insert into invoice_dispute (gateway, dispute_id, invoice_id, amount_nano, returned)
    values (${invoice.gatewayId}, ${dispute.disputeId}, ${invoice.invoiceId}, ${dispute.amountNano}::bigint,
      ${dispute.state === 'returned'})
    on conflict (gateway, dispute_id) do update set
      amount_nano = greatest(invoice_dispute.amount_nano, excluded.amount_nano),
      returned = invoice_dispute.returned or excluded.returned
      where invoice_dispute.invoice_id = excluded.invoice_id`.execute(database)
}
