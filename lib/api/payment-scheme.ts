import 'server-only'
import { type Bolt11, MILLISATOSHIS_PER_SATOSHI, readBolt11 } from '@/lib/payments/domain/bolt11'
import type { Invoice } from '@/lib/payments/domain/invoice'

/** Network names as the charge intent spells them. */
const NETWORKS: readonly Bolt11['network'][] = ['mainnet', 'regtest', 'signet']

/**
 * The challenge of the HTTP "Payment" scheme (draft-httpauth-payment) for an invoice, with the charge intent of the
 * "lightning" method (draft-lightning-charge). The token is in `opaque`. The challenge is computed from the invoice
 * alone, so that an answer can be compared with it at any time. Null for an invoice that is not in whole satoshis.
 */
export function paymentChallenge(input: {
  invoice: Invoice
  token: string
  realm: string
}): Record<'id' | 'realm' | 'method' | 'intent' | 'request' | 'expires' | 'opaque', string> | null {
  const { invoiceId, lightningInvoice, expiresAt } = input.invoice
  const bolt11 = readBolt11(lightningInvoice ?? '')
  if (!bolt11?.millisatoshis || bolt11.millisatoshis % MILLISATOSHIS_PER_SATOSHI !== 0n) return null
  const { network, millisatoshis, paymentHash } = bolt11
  return {
    id: invoiceId,
    realm: input.realm,
    method: 'lightning',
    intent: 'charge',
    request: canonical({
      amount: String(millisatoshis / MILLISATOSHIS_PER_SATOSHI),
      currency: 'sat',
      externalId: invoiceId,
      methodDetails: {
        invoice: lightningInvoice,
        ...(NETWORKS.includes(network) && { network }),
        paymentHash,
      },
    }),
    expires: expiresAt.toISOString(),
    opaque: canonical({ token: input.token }),
  }
}

/** The header `Payment-Receipt` of a call that was paid for in this scheme. */
export function paymentReceipt({ invoiceId, lightningInvoice }: Invoice): string {
  return canonical({
    challengeId: invoiceId,
    method: 'lightning',
    reference: readBolt11(lightningInvoice ?? '')?.paymentHash,
    status: 'success',
    timestamp: new Date().toISOString(),
  })
}

/** Canonical JSON (RFC 8785) in base64url: the names above are in order, and no text needs an escape. */
function canonical(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
