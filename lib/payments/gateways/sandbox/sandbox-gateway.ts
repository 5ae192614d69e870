import 'server-only'
import { sql } from 'kysely'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { satoshisToBitcoin, toSatoshisUp } from '../../domain/convert-amount'
import type { Gateway, GatewayInvoice, GatewayInvoiceRequest, Observation } from '../../domain/gateway'
import { CARD_METHOD, LIGHTNING_METHOD } from '../../domain/offered-methods'
import type { PaymentDatabase } from '../../server/payment-tables'

/** A round figure that nobody mistakes for a market price: one satoshi is a tenth of a cent. */
const SANDBOX_USD_PER_BITCOIN = parseDecimal('100000')

/**
 * Creates money from nothing, for trying things out: invoices look like real ones, and are paid by a
 * button. Its payments are rows, so they survive a restart and several processes see the same.
 */
export function createSandboxGateway(input: { database: PaymentDatabase }): Gateway {
  return {
    id: 'sandbox',
    methods: [LIGHTNING_METHOD, CARD_METHOD],
    getUsdPerBitcoin: async () => SANDBOX_USD_PER_BITCOIN,
    createInvoice: async request => createSandboxInvoice(request, SANDBOX_USD_PER_BITCOIN),
    fetchInvoice: request => fetchSandboxInvoice(input.database, request),
  }
}

function createSandboxInvoice(request: GatewayInvoiceRequest, usdPerBitcoin: Decimal | null): GatewayInvoice {
  const isLightning = request.methodId === 'btc-lightning' && usdPerBitcoin !== null
  return {
    gatewayInvoiceId: `sandbox-${request.invoiceId}`,
    checkoutUrl: null,
    // The prefix of a real invoice, then a text that no wallet can decode, let alone pay.
    lightningInvoice: isLightning ? `lnbc1sandbox${request.invoiceId.replaceAll('-', '')}` : null,
    bitcoinAddress: null,
    bitcoinDue: isLightning ? satoshisToBitcoin(toSatoshisUp(request.amountNano, usdPerBitcoin)) : null,
    expiresAt: null,
  }
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
    // Pretend dollars: the rate of the sandbox never moves.
    bitcoinPayments: [],
    toldNano: null,
    refundedNano: 0n,
    disputes: [],
  }
}
