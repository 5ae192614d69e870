import 'server-only'
import { createHash, randomBytes } from 'node:crypto'
import { bech32 } from '@scure/base'
import { sql } from 'kysely'
import { decimalFromInteger } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { SIGNATURE_WORD_COUNT } from '../../domain/bolt11'
import { satoshisToBitcoin, toSatoshisUp } from '../../domain/convert-amount'
import type { Gateway, GatewayInvoice, GatewayInvoiceRequest, Observation } from '../../domain/gateway'
import type { Invoice } from '../../domain/invoice'
import { CARD_METHOD, LIGHTNING_METHOD } from '../../domain/offered-methods'
import type { PaymentDatabase } from '../../server/payment-tables'

/** A round figure that nobody takes for a market price: one satoshi is a tenth of a cent. */
const SANDBOX_USD_PER_BITCOIN = decimalFromInteger(100_000)

const ID_PREFIX = 'sandbox-'
const PREIMAGE_BYTES = 32

/**
 * Creates money out of nothing, for trying things out: invoices look real and are paid with a button. Payments are
 * database rows, so that they survive a restart and all processes see the same.
 */
export function createSandboxGateway(input: { database: PaymentDatabase }): Gateway {
  return {
    id: 'sandbox',
    methods: [LIGHTNING_METHOD, CARD_METHOD],
    getUsdPerBitcoin: async () => SANDBOX_USD_PER_BITCOIN,
    createInvoice: async request => createSandboxInvoice(request),
    fetchInvoice: request => fetchSandboxInvoice(input.database, request),
  }
}

function createSandboxInvoice(request: GatewayInvoiceRequest): GatewayInvoice {
  const isLightning = request.methodId === 'btc-lightning'
  const preimage = randomBytes(PREIMAGE_BYTES)
  const satoshis = toSatoshisUp(request.amountNano, SANDBOX_USD_PER_BITCOIN)
  return {
    // The preimage is no more exposed than this id, which only the database and other deployments see.
    gatewayInvoiceId: `${ID_PREFIX}${preimage.toString('hex')}`,
    checkoutUrl: null,
    lightningInvoice: isLightning ? writeBolt11(satoshis, preimage, request.expirySeconds) : null,
    bitcoinAddress: null,
    bitcoinDue: isLightning ? satoshisToBitcoin(satoshis) : null,
    expiresAt: null,
  }
}

/** The preimage that a wallet would have learned by paying in full; null until then, and for any other invoice. */
export function sandboxPreimage({
  gatewayId,
  gatewayInvoiceId,
  lightningInvoice,
  state,
}: Invoice): string | null {
  const isPaid = gatewayId === 'sandbox' && lightningInvoice !== null && state === 'Settled'
  return isPaid ? gatewayInvoiceId.slice(ID_PREFIX.length) : null
}

/** For regtest, without a valid signature: programs can read it, but no wallet can pay it. */
function writeBolt11(satoshis: bigint, preimage: Buffer, expirySeconds: number): string {
  const words = (bytes: Uint8Array) => bech32.toWords(bytes)
  const number = (value: number, wordCount: number) =>
    Array.from({ length: wordCount }, (_, index) => Math.floor(value / 32 ** (wordCount - 1 - index)) % 32)
  const field = (type: number, data: readonly number[]) => [type, ...number(data.length, 2), ...data]
  const [paymentHash, description, expiry, paymentSecret] = [1, 13, 6, 16]
  return bech32.encode(
    // The unit "n" is a billionth of a bitcoin, so a satoshi is ten of them.
    `lnbcrt${satoshis * 10n}n`,
    [
      ...number(Math.floor(Date.now() / 1000), 7),
      ...field(paymentHash, words(createHash('sha256').update(preimage).digest())),
      ...field(paymentSecret, words(randomBytes(PREIMAGE_BYTES))),
      ...field(description, words(Buffer.from('sandbox'))),
      ...field(expiry, number(expirySeconds, 4)),
      ...Array<number>(SIGNATURE_WORD_COUNT).fill(0),
    ],
    false,
  )
}

async function fetchSandboxInvoice(
  database: PaymentDatabase,
  request: { gatewayInvoiceId: string; amountNano: Nano },
): Promise<Observation | null> {
  const { rows } = await sql<{ expired: boolean; paid_nano: bigint; in_time_nano: bigint }>`
    select expires_at <= now() as expired,
      (select coalesce(sum(amount_nano), 0)::bigint from sandbox_payment
        where gateway_invoice_id = invoice.gateway_invoice_id) as paid_nano,
      (select coalesce(sum(amount_nano), 0)::bigint from sandbox_payment
        where gateway_invoice_id = invoice.gateway_invoice_id and paid_at <= invoice.expires_at) as in_time_nano
    from invoice
    where gateway = 'sandbox' and gateway_invoice_id = ${request.gatewayInvoiceId}`.execute(database)
  const found = rows[0]
  if (!found) return null
  const isPaid = found.paid_nano >= request.amountNano
  return {
    state: isPaid ? 'Settled' : found.expired ? 'Expired' : 'New',
    paidNano: found.paid_nano,
    inTimeNano: found.in_time_nano,
    paidLate: found.paid_nano > found.in_time_nano,
    // Counted in dollars: the sandbox's rate never changes.
    bitcoinPayments: [],
    gatewayTotalNano: null,
    refundedNano: 0n,
    disputes: [],
  }
}
