import 'server-only'
import { add, type Decimal, formatDecimal, ZERO } from '@/lib/money/decimal'
import { minNano, type Nano } from '@/lib/money/nano'
import type { Gateway, Refund } from '../domain/gateway'
import { type RefundedSoFar, refundWorth } from '../domain/refund-worth'
import { findInvoice, lockInvoice } from './invoice-rows'
import { type PaymentDatabase, storedDecimal } from './payment-tables'
import type { PaymentsContext } from './payments-context'

/**
 * Fetches refunds that the gateway lists one by one, and fixes the amount of each, once.
 * @throws GatewayError if the gateway cannot be asked
 */
export async function recordRefunds(
  { database }: PaymentsContext,
  gateway: Gateway,
  invoiceId: string,
): Promise<void> {
  const invoice = await findInvoice(database, invoiceId)
  if (!gateway.fetchRefunds || !invoice || invoice.paidNano === 0n) return
  const refunds = await gateway.fetchRefunds(invoice)
  if (refunds.length === 0) return
  await database.transaction().execute(async transaction => {
    const locked = await lockInvoice(transaction, invoiceId)
    if (!locked) return
    const known = await transaction
      .selectFrom('invoice_refund')
      .selectAll()
      .where('invoice_id', '=', invoiceId)
      .execute()
    const so: RefundedSoFar = {
      paidNano: locked.paidNano,
      arrivedBitcoin: (await arrivedBitcoin(transaction, invoiceId)) ?? locked.bitcoinDue ?? ZERO,
      refundedNano: known.reduce((sum, { worth_nano }) => sum + worth_nano, 0n),
      bitcoinRefundedNano: known.reduce((sum, row) => (row.bitcoin === '0' ? sum : sum + row.worth_nano), 0n),
      refundedBitcoin: known.map(({ bitcoin }) => storedDecimal(bitcoin)).reduce(add, ZERO),
    }
    const knownIds = new Set(known.map(({ refund_id }) => refund_id))
    for (const refund of refunds) {
      if (knownIds.has(refund.refundId)) continue
      knownIds.add(refund.refundId)
      const worthNano = refundWorth(refund, so)
      await write(transaction, invoiceId, refund, worthNano)
      so.refundedNano += worthNano
      if (refund.bitcoin) so.bitcoinRefundedNano += worthNano
      so.refundedBitcoin = add(so.refundedBitcoin, refund.bitcoin ?? ZERO)
    }
    await transaction
      .updateTable('invoice')
      .set({ refund_seen_nano: minNano(so.refundedNano, locked.paidNano) })
      .where('id', '=', invoiceId)
      .where('refund_seen_nano', '<', minNano(so.refundedNano, locked.paidNano))
      .execute()
  })
}

/** Null if no single payment is known: the operator declared the invoice paid. */
async function arrivedBitcoin(database: PaymentDatabase, invoiceId: string): Promise<Decimal | null> {
  const rows = await database
    .selectFrom('invoice_payment')
    .select('bitcoin')
    .where('invoice_id', '=', invoiceId)
    .where('worth_nano', 'is not', null)
    .execute()
  return rows.length === 0 ? null : rows.map(({ bitcoin }) => storedDecimal(bitcoin)).reduce(add, ZERO)
}

async function write(
  database: PaymentDatabase,
  invoiceId: string,
  { refundId, bitcoin }: Refund,
  worthNano: Nano,
): Promise<void> {
  await database
    .insertInto('invoice_refund')
    .values({
      invoice_id: invoiceId,
      refund_id: refundId,
      bitcoin: formatDecimal(bitcoin ?? ZERO),
      worth_nano: worthNano,
    })
    .execute()
}
