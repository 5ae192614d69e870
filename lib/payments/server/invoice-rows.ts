import 'server-only'
import { type Selectable, sql } from 'kysely'
import { isStorableText } from '@/lib/http/domain/storable-text'
import { isUuid } from '@/lib/http/domain/uuid'
import { GATEWAYS, type GatewayId } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import { INVOICE_STATES } from '../domain/invoice-states'
import { CURRENCIES, METHOD_IDS } from '../domain/payment-method'
import { type InvoiceTable, type PaymentDatabase, storedDecimal } from './payment-tables'

/** Selected with every invoice, as precise as its other times. */
export const READ_AT = sql<Date>`now()::timestamptz(3)`.as('read_at')

export function selectInvoices(database: PaymentDatabase) {
  return database.selectFrom('invoice').selectAll().select(READ_AT)
}

export async function findInvoice(database: PaymentDatabase, invoiceId: string): Promise<Invoice | null> {
  if (!isUuid(invoiceId)) return null
  return readOne(selectInvoices(database).where('id', '=', invoiceId.toLowerCase()))
}

/** Within a transaction: nobody else can change the invoice until it ends. */
export async function lockInvoice(transaction: PaymentDatabase, invoiceId: string): Promise<Invoice | null> {
  return readOne(selectInvoices(transaction).where('id', '=', invoiceId).forUpdate())
}

/** Both must match: a gateway may only report on its own invoices. */
export async function findGatewayInvoice(
  database: PaymentDatabase,
  input: { gatewayId: GatewayId; gatewayInvoiceId: string },
): Promise<Invoice | null> {
  if (!isStorableText(input.gatewayInvoiceId)) return null
  const ofGateway = selectInvoices(database).where('gateway', '=', input.gatewayId)
  return readOne(ofGateway.where('gateway_invoice_id', '=', input.gatewayInvoiceId))
}

async function readOne(query: ReturnType<typeof selectInvoices>): Promise<Invoice | null> {
  const row = await query.executeTakeFirst()
  return row ? toInvoice(row) : null
}

/** @throws Error if this program cannot have written the row */
export function toInvoice(row: Selectable<InvoiceTable> & { read_at: Date }): Invoice {
  return {
    invoiceId: row.id,
    accountId: row.account_id,
    gatewayId: member(GATEWAYS, row.gateway),
    gatewayInvoiceId: row.gateway_invoice_id,
    methodId: member(METHOD_IDS, row.method),
    requestedAmount: storedDecimal(row.requested_amount),
    requestedCurrency: member(CURRENCIES, row.requested_currency),
    amountNano: row.amount_nano,
    bonusFraction: storedDecimal(row.bonus_fraction),
    state: member(INVOICE_STATES, row.state),
    paidLate: row.paid_late,
    paidNano: row.paid_nano,
    inTimeNano: row.in_time_nano,
    maximumNano: row.maximum_nano,
    approvedNano: row.approved_nano,
    claimedNano: row.claimed_nano,
    creditedNano: row.credited_nano,
    bonusClaimedNano: row.bonus_claimed_nano,
    bonusNano: row.bonus_nano,
    refundSeenNano: row.refund_seen_nano,
    reversalClaimedNano: row.reversal_claimed_nano,
    reversedNano: row.reversed_nano,
    reversalBonusClaimedNano: row.reversal_bonus_claimed_nano,
    reversedBonusNano: row.reversed_bonus_nano,
    reversalCount: row.reversal_count,
    checkoutUrl: row.checkout_url,
    lightningInvoice: row.lightning_invoice,
    bitcoinAddress: row.bitcoin_address,
    bitcoinDue: row.bitcoin_due === null ? null : storedDecimal(row.bitcoin_due),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    readAt: row.read_at,
  }
}

function member<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find(name => name === text)
  if (found === undefined) throw new Error('An invoice in the database has an unknown name in it.')
  return found
}
