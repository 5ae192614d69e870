import 'server-only'
import { sql } from 'kysely'
import { formatDecimal } from '@/lib/money/decimal'
import { log } from '@/lib/observability/log'
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
 * @throws GatewayError for more than is believed of one invoice, and for a payment of another one
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
  const known = await writeAll(database, invoice, arrivals)
  return { ...totalsOf(known), isWaiting }
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

/**
 * All of an answer or nothing. Not every gateway says whose payments it lists, so that two answers can be mixed up on
 * the way: whoever records a payment first has it, and nothing is believed of an answer that gives it to another
 * invoice.
 */
async function writeAll(
  database: PaymentDatabase,
  invoice: Invoice,
  arrivals: readonly Arrival[],
): Promise<Arrival[]> {
  // In one order, so that no two checks wait for each other.
  const inOrder = arrivals.toSorted((left, right) => (left.paymentId < right.paymentId ? -1 : 1))
  return database.transaction().execute(async transaction => {
    for (const arrival of inOrder) await write(transaction, invoice, arrival)
    const { known } = await readArrivals(transaction, invoice)
    const ids = new Set(known.map(({ paymentId }) => paymentId))
    const foreign = arrivals.find(({ paymentId }) => !ids.has(paymentId))
    if (foreign) await refuseForeign(transaction, invoice, foreign)
    return known
  })
}

async function write(
  transaction: PaymentDatabase,
  { invoiceId }: Invoice,
  { paymentId, ...arrival }: Arrival,
): Promise<void> {
  const values = {
    bitcoin: formatDecimal(arrival.bitcoin),
    in_time: arrival.inTime,
    at_invoice_rate_nano: arrival.atInvoiceRateNano,
    usd_per_bitcoin: arrival.usdPerBitcoin && formatDecimal(arrival.usdPerBitcoin),
    worth_nano: arrival.worthNano,
  }
  await transaction
    .insertInto('invoice_payment')
    .values({ invoice_id: invoiceId, payment_id: paymentId, ...values })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await transaction
    .updateTable('invoice_payment')
    .set(values)
    .where('invoice_id', '=', invoiceId)
    .where('payment_id', '=', paymentId)
    .where('worth_nano', 'is', null)
    .execute()
}

async function refuseForeign(
  transaction: PaymentDatabase,
  { invoiceId, gatewayId }: Invoice,
  { paymentId }: Arrival,
): Promise<never> {
  const owner = await transaction
    .selectFrom('invoice_payment')
    .select('invoice_id')
    .where('gateway', '=', gatewayId)
    .where('payment_id', '=', paymentId)
    .executeTakeFirst()
  log.warn(
    'the payment gateway listed a payment of another invoice, so nothing of its answer was counted; does a proxy mix up its answers?',
    { invoiceId, paidInvoiceId: owner?.invoice_id },
  )
  throw new GatewayError('A payment was reported for another invoice than the one that has it.')
}
