import 'server-only'
import { sql } from 'kysely'
import { formatDecimal } from '@/lib/money/decimal'
import {
  type Arrival,
  RATE_KEPT_SECONDS,
  totalsOf,
  type ValueArrivalsInput,
  type ValuedArrivals,
  valueArrivals,
} from '../domain/arrivals'
import { type Gateway, GatewayError, type Observation, TOLD_NANO_MAX } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import { type PaymentDatabase, storedDecimal } from './payment-tables'
import { rateIfKnown } from './payments-context'
import { seconds } from './poll-schedule'

export interface ArrivedTotals extends ReturnType<typeof totalsOf> {
  /** Whether a payment could not be valued, because no bitcoin rate was known. */
  isWaiting: boolean
}

/**
 * Stores the value of each bitcoin payment, once. Of several concurrent checks, the first to write decides; the others
 * read what it wrote.
 * @throws GatewayError for more than is believed of one invoice
 */
export async function recordArrivals(
  { database }: { database: PaymentDatabase },
  gateway: Gateway,
  invoice: Invoice,
  observation: Observation,
): Promise<ArrivedTotals> {
  const before = await readArrivals(database, invoice)
  let valued = value({ invoice, observation, ...before, usdPerBitcoin: null })
  if (valued.needsRate) {
    const usdPerBitcoin = await rateIfKnown(gateway, { fresh: true })
    valued = value({ invoice, observation, ...before, usdPerBitcoin })
  }
  const { arrivals, isWaiting } = valued
  if (arrivals.length === 0) return { ...totalsOf(before.known), isWaiting }
  // Before any of it is stored: what a payment is worth is never corrected.
  if (totalsOf([...before.known, ...arrivals]).paidNano > TOLD_NANO_MAX)
    throw new GatewayError('More bitcoin was reported for an invoice than anybody pays.')
  for (const arrival of arrivals) await write(database, invoice, arrival)
  return { ...totalsOf((await readArrivals(database, invoice)).known), isWaiting }
}

function value({
  invoice,
  observation,
  ...rest
}: Pick<ValueArrivalsInput, 'known' | 'isRateKept' | 'usdPerBitcoin'> & {
  invoice: Invoice
  observation: Observation
}): ValuedArrivals {
  const { bitcoinPayments: payments, gatewayTotalNano } = observation
  return valueArrivals({ amountNano: invoice.amountNano, payments, gatewayTotalNano, ...rest })
}

async function readArrivals(
  database: PaymentDatabase,
  { invoiceId }: Invoice,
): Promise<{ known: Arrival[]; isRateKept: boolean }> {
  const { rows } = await sql<{ is_rate_kept: boolean }>`
    select now() <= expires_at + ${seconds(RATE_KEPT_SECONDS)} as is_rate_kept
    from invoice where id = ${invoiceId}`.execute(database)
  const kept = await database
    .selectFrom('invoice_payment')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .execute()
  const known = kept.map(row => ({
    paymentId: row.payment_id,
    bitcoin: storedDecimal(row.bitcoin),
    inTime: row.in_time,
    atInvoiceRateNano: row.at_invoice_rate_nano,
    usdPerBitcoin: row.usd_per_bitcoin === null ? null : storedDecimal(row.usd_per_bitcoin),
    worthNano: row.worth_nano,
  }))
  return { known, isRateKept: rows[0]?.is_rate_kept ?? false }
}

async function write(database: PaymentDatabase, { invoiceId }: Invoice, arrival: Arrival): Promise<void> {
  const values = {
    bitcoin: formatDecimal(arrival.bitcoin),
    in_time: arrival.inTime,
    at_invoice_rate_nano: arrival.atInvoiceRateNano,
    usd_per_bitcoin: arrival.usdPerBitcoin && formatDecimal(arrival.usdPerBitcoin),
    worth_nano: arrival.worthNano,
  }
  await database
    .insertInto('invoice_payment')
    .values({ invoice_id: invoiceId, payment_id: arrival.paymentId, ...values })
    .onConflict(conflict =>
      conflict
        .columns(['invoice_id', 'payment_id'])
        .doUpdateSet(values)
        .where('invoice_payment.worth_nano', 'is', null),
    )
    .execute()
}
