import 'server-only'
import { type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, nanoToDecimal } from '@/lib/money/nano'
import type { Invoice } from '../domain/invoice'
import { findInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import { findGateway, type PaymentsContext } from './payments-context'

/** Pays a part of a sandbox invoice, or more than all of it; as late and as often as one likes. */
export async function paySandboxInvoice(
  context: PaymentsContext,
  input: { invoiceId: string; fraction: Decimal },
): Promise<Invoice | null> {
  if (!findGateway(context, 'sandbox')) return null
  const invoice = await findInvoice(context.database, input.invoiceId)
  if (invoice?.gatewayId !== 'sandbox') return null
  const amountNano = floorToNano(multiply(nanoToDecimal(invoice.amountNano), input.fraction))
  if (amountNano > 0n) {
    await context.database
      .insertInto('sandbox_payment')
      .values({ gateway_invoice_id: invoice.gatewayInvoiceId, amount_nano: amountNano })
      .execute()
  }
  return observeInvoice(context, invoice)
}
