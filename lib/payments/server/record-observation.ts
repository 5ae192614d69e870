import 'server-only'
import { sql } from 'kysely'
import type { Observation } from '../domain/gateway'
import { type Invoice, observedState } from '../domain/invoice'
import { statesBefore } from '../domain/invoice-states'
import type { PaymentDatabase } from './payment-tables'

/**
 * Joins what a gateway says to what is known, in one statement: states follow the table, totals only
 * grow. Observations that overtake each other, in any order and number, end in the same row. Whether
 * time is over is for the database's clock to say.
 */
export async function recordObservation(
  database: PaymentDatabase,
  invoice: Invoice,
  observation: Observation,
): Promise<void> {
  const state = observedState(observation, invoice.amountNano)
  await sql`
    update invoice set
      state = case
        when state = any(${statesBefore(state)}::text[]) then ${state}::text
        when state = 'New' and expires_at <= now() then 'Expired'
        else state
      end,
      paid_nano = greatest(paid_nano, ${observation.paidNano}::bigint),
      paid_late = paid_late or ${observation.paidLate}::boolean,
      refund_seen_nano = greatest(refund_seen_nano, ${observation.refundedNano}::bigint),
      updated_at = now()
    where id = ${invoice.invoiceId}`.execute(database)
}
