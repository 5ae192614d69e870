import 'server-only'
import { isStorableText } from '@/lib/http/domain/storable-text'
import type { GatewayId } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import type { PaymentDatabase } from './payment-tables'
import { toInvoice } from './to-invoice'

const INVOICE_ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export async function findInvoice(database: PaymentDatabase, invoiceId: string): Promise<Invoice | null> {
  if (!INVOICE_ID_PATTERN.test(invoiceId)) return null
  const row = await database
    .selectFrom('invoice')
    .selectAll()
    .where('id', '=', invoiceId.toLowerCase())
    .executeTakeFirst()
  return row ? toInvoice(row) : null
}

/** Inside a transaction: nobody else changes it until that ends. */
export async function lockInvoice(transaction: PaymentDatabase, invoiceId: string): Promise<Invoice | null> {
  const row = await transaction
    .selectFrom('invoice')
    .selectAll()
    .where('id', '=', invoiceId)
    .forUpdate()
    .executeTakeFirst()
  return row ? toInvoice(row) : null
}

/** Both must match: a gateway speaks of its own invoices only. */
export async function findGatewayInvoice(
  database: PaymentDatabase,
  input: { gatewayId: GatewayId; gatewayInvoiceId: string },
): Promise<Invoice | null> {
  if (!isStorableText(input.gatewayInvoiceId)) return null
  const row = await database
    .selectFrom('invoice')
    .selectAll()
    .where('gateway', '=', input.gatewayId)
    .where('gateway_invoice_id', '=', input.gatewayInvoiceId)
    .executeTakeFirst()
  return row ? toInvoice(row) : null
}
