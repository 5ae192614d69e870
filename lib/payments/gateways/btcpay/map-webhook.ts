import 'server-only'
import type { WebhookNotice } from '../../domain/gateway'
import { btcpayWebhookSchema } from './btcpay-api-types'

const NOTHING: WebhookNotice = { gatewayInvoiceId: null, told: null }

/** Which invoice a verified event is about. Events of other kinds and other stores are none of ours. */
export function mapWebhook(rawBody: Uint8Array, storeId: string): WebhookNotice {
  const event = btcpayWebhookSchema.safeParse(parseJson(rawBody))
  if (!event.success) return NOTHING
  const { type, invoiceId, storeId: eventStoreId } = event.data
  if (!type.startsWith('Invoice') || !invoiceId || (eventStoreId ?? storeId) !== storeId) return NOTHING
  return { gatewayInvoiceId: invoiceId, told: null }
}

function parseJson(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(rawBody))
  } catch {
    return null
  }
}
