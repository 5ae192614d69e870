import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { SATOSHIS_PER_BITCOIN } from '@/lib/payments/domain/payment-method'

/**
 * What opens in a wallet: the Lightning invoice, or the address with its amount (BIP 21). Null for methods that are
 * paid on a page of their own.
 */
export function paymentUri(
  invoice: Pick<InvoiceStatus, 'lightning_invoice' | 'address' | 'crypto_amount_due'>,
): string | null {
  if (invoice.lightning_invoice) return `lightning:${invoice.lightning_invoice}`
  if (!invoice.address) return null
  const amount = invoice.crypto_amount_due === null ? '' : `?amount=${invoice.crypto_amount_due.toFixed(8)}`
  return `bitcoin:${invoice.address}${amount}`
}

/** A Lightning invoice in capitals makes a smaller QR code, which a phone reads from further away. */
export function qrText(uri: string): string {
  return uri.startsWith('lightning:') ? uri.toUpperCase() : uri
}

/** Whole satoshis of an amount in bitcoin; the API's number has at most eight decimals. */
export function satoshisDue(bitcoinDue: number | null): number | null {
  return bitcoinDue === null ? null : Math.round(bitcoinDue * Number(SATOSHIS_PER_BITCOIN))
}

/** Lightning settles within a second or two; a status read is cheap. */
const OPEN_INTERVAL_MS = 2000
/** Money can still arrive after the invoice was paid or has expired, and go back, but rarely does. */
const CLOSED_INTERVAL_MS = 15_000

/** How soon to poll again. */
export function pollIntervalMs(state: InvoiceStatus['status'] | undefined): number {
  const isClosed = state === 'Settled' || state === 'Expired' || state === 'Invalid'
  return isClosed ? CLOSED_INTERVAL_MS : OPEN_INTERVAL_MS
}

export type OutcomeKey =
  | 'waiting'
  | 'seen'
  | 'credited'
  | 'creditedLate'
  | 'creditedOver'
  | 'underReview'
  | 'partial'
  | 'partialExpired'
  | 'refunded'
  | 'expired'
  | 'invalid'

/** The message that fits an invoice's state and the way its money arrived. */
export function outcomeKey({
  status: state,
  additional_status: additionalStatus,
  credited_usd: creditedUsd,
  refunded_usd: refundedUsd,
}: Pick<InvoiceStatus, 'status' | 'additional_status' | 'credited_usd' | 'refunded_usd'>): OutcomeKey {
  if (additionalStatus === 'under_review') return 'underReview'
  if (refundedUsd > 0) return 'refunded'
  if (state === 'New' || state === 'Processing') {
    if (additionalStatus === 'paid_partial') return 'partial'
    return state === 'Processing' ? 'seen' : 'waiting'
  }
  // A late payment at another exchange rate may be the full amount in bitcoin, and less in dollars.
  if (additionalStatus === 'paid_late') return 'creditedLate'
  if (additionalStatus === 'paid_over') return 'creditedOver'
  if (state === 'Settled' || (additionalStatus === 'none' && creditedUsd > 0)) return 'credited'
  if (additionalStatus === 'paid_partial') return 'partialExpired'
  return state === 'Expired' ? 'expired' : 'invalid'
}

/** The rest that is still due, in dollars and, at the invoice's own rate, in bitcoin. */
export function stillDue({
  amount_usd: amountUsd,
  paid_usd: paidUsd,
  crypto_amount_due: bitcoinDue,
  lightning_invoice: lightningInvoice,
  sandbox,
}: Pick<InvoiceStatus, 'amount_usd' | 'paid_usd' | 'crypto_amount_due' | 'lightning_invoice' | 'sandbox'>) {
  // A real Lightning invoice includes its amount, and is paid in full or not at all.
  const isDivisible = !lightningInvoice || sandbox
  const isPartlyPaid = paidUsd > 0 && paidUsd < amountUsd && isDivisible
  if (!isPartlyPaid) return { amountUsd, bitcoinDue }
  const restUsd = amountUsd - paidUsd
  const satoshis = satoshisDue(bitcoinDue)
  if (satoshis === null) return { amountUsd: restUsd, bitcoinDue }
  // Rounded up, so that the payment is not just short; a rest that is only a floating-point error does not count.
  const restSatoshis = Math.ceil(Number(((satoshis * restUsd) / amountUsd).toFixed(3)))
  return { amountUsd: restUsd, bitcoinDue: restSatoshis / Number(SATOSHIS_PER_BITCOIN) }
}
