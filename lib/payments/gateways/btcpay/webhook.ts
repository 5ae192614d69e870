import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { btcpayWebhookSchema } from './btcpay-api-types'

const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/i

/** `BTCPay-Sig: sha256=HMAC256(UTF8(secret), body)`, over the raw bytes. An empty secret verifies nothing. */
export function isSignedByBtcpay(input: {
  rawBody: Uint8Array
  signature: string | null
  secret: string
}): boolean {
  const given = SIGNATURE_PATTERN.exec(input.signature ?? '')?.[1]
  if (!given || input.secret === '') return false
  const expected = createHmac('sha256', input.secret).update(input.rawBody).digest()
  return timingSafeEqual(Buffer.from(given, 'hex'), expected)
}

/** What a verified event is about: an invoice, or a pull payment whose invoice has to be looked up. */
type EventSubject = { invoiceId: string } | { pullPaymentId: string } | null

/** Null for other kinds of events and for other stores. */
export function mapWebhook(rawBody: Uint8Array, storeId: string): EventSubject {
  const event = btcpayWebhookSchema.safeParse(tryParseJson(new TextDecoder().decode(rawBody)))
  if (!event.success) return null
  const { type, invoiceId, pullPaymentId, storeId: eventStoreId } = event.data
  if ((eventStoreId ?? storeId) !== storeId) return null
  if (type.startsWith('Invoice') && invoiceId) return { invoiceId }
  return type.startsWith('Payout') && pullPaymentId ? { pullPaymentId } : null
}
