import 'server-only'
import type { Invoice } from '../domain/invoice'
import { findInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import type { PaymentsContext } from './payments-context'

/** @throws GatewayError */
export async function recheckInvoice(
  context: PaymentsContext,
  input: { invoiceId: string },
): Promise<Invoice | null> {
  const invoice = await findInvoice(context.database, input.invoiceId)
  return invoice && observeInvoice(context, invoice)
}
