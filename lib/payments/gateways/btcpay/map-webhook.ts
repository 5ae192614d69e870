import 'server-only'
import { btcpayWebhookSchema } from './btcpay-api-types'

/** What a verified event is about: an invoice, or a pull payment whose invoice has to be looked up. */
export type EventSubject = { invoiceId: string } | { pullPaymentId: string } | null

/** Events of other kinds and other stores are about nothing of ours. */
export function mapWebhook(rawBody: Uint8Array, storeId: string): EventSubject {
  const event = btcpayWebhookSchema.safeParse(parseJson(rawBody))
  if (!event.success) return null
  const { type, invoiceId, pullPaymentId, storeId: eventStoreId } = event.data
  if ((eventStoreId ?? storeId) !== storeId) return null
  if (type.startsWith('Invoice') && invoiceId) return { invoiceId }
  return type.startsWith('Payout') && pullPaymentId ? { pullPaymentId } : null
}

function parseJson(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(rawBody))
  } catch {
    return null
  }
}
