import type { Invoice } from './invoice'

/**
 * What a wallet opens: the Lightning invoice, or the address with its amount (BIP 21). Null for methods
 * that are paid on a page of their own.
 */
export function paymentUri(
  invoice: Pick<Invoice, 'lightningInvoice' | 'bitcoinAddress' | 'bitcoinDue'>,
): string | null {
  if (invoice.lightningInvoice) return `lightning:${invoice.lightningInvoice}`
  if (!invoice.bitcoinAddress) return null
  const amount = invoice.bitcoinDue === null ? '' : `?amount=${invoice.bitcoinDue.toFixed(8)}`
  return `bitcoin:${invoice.bitcoinAddress}${amount}`
}

/** In capitals a Lightning invoice makes a smaller code, which a phone reads from further away. */
export function qrText(uri: string): string {
  return uri.startsWith('lightning:') ? uri.toUpperCase() : uri
}
