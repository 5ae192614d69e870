import 'server-only'
import type { WebhookInput, WebhookOutcome } from '../domain/payments'
import { findGatewayInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import { findGateway, type PaymentsContext } from './payments-context'

/**
 * A webhook only says "look": once it is proven to come from the gateway, the gateway is asked.
 * @throws GatewayError when it cannot be asked, so that it delivers again
 */
export async function handleWebhook(
  context: PaymentsContext,
  input: WebhookInput,
): Promise<{ outcome: WebhookOutcome }> {
  const gateway = findGateway(context, input.gatewayId)
  if (!gateway?.verifyWebhook) return { outcome: 'absent' }
  const notice = await gateway.verifyWebhook(input)
  if (!notice) return { outcome: 'refused' }
  if (notice.gatewayInvoiceId === null) return { outcome: 'ignored' }
  const invoice = await findGatewayInvoice(context.database, {
    gatewayId: gateway.id,
    gatewayInvoiceId: notice.gatewayInvoiceId,
  })
  // A gateway may serve other shops as well; refusing would make it deliver for hours.
  if (!invoice) return { outcome: 'ignored' }
  await observeInvoice(context, invoice, notice.told)
  return { outcome: 'handled' }
}
