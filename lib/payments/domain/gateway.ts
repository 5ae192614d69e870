import { sharedError } from '@/lib/http/domain/shared-error'
import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import type { InvoiceState } from './invoice-states'
import type { PaymentMethod } from './offered-methods'
import type { Currency, MethodId } from './payment-method'

/**
 * All gateways, in order of preference: a method is served by the first configured one that has it. Every list of
 * gateways, including the check in the database, is derived from this one.
 */
export const GATEWAYS = ['btcpay', 'nwc', 'stripe', 'sandbox'] as const

export type GatewayId = (typeof GATEWAYS)[number]

/**
 * What all gateways have in common. A gateway is asked what really happened (`fetchInvoice`); a webhook only signals
 * that it is time to ask. Each adapter validates what its gateway answers. Methods throw GatewayError if the gateway
 * cannot be asked.
 */
export interface Gateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /**
   * Dollars per bitcoin, at most ten minutes old; with `fresh`, fetched now. Null for a gateway that takes no bitcoin.
   */
  getUsdPerBitcoin(input?: { fresh: boolean }): Promise<Decimal | null>
  createInvoice(input: GatewayInvoiceRequest): Promise<GatewayInvoice>
  /** Null if the gateway knows no such invoice. */
  fetchInvoice(input: {
    gatewayInvoiceId: string
    amountNano: Nano
    bitcoinDue: Decimal | null
  }): Promise<Observation | null>
  /**
   * The refunds of an invoice, for a gateway that lists them one by one instead of including them in `fetchInvoice`.
   * Called only for invoices that something was paid on.
   */
  fetchRefunds?(input: { gatewayInvoiceId: string }): Promise<Refund[]>
  /** Null if the signature is missing, wrong or too old. Absent if the gateway sends no webhooks. */
  verifyWebhook?(input: { rawBody: Uint8Array; headers: Headers }): Promise<WebhookNotice | null>
  /** Subscribes to payments, if the gateway can announce them; returns how to stop. Polling finds what is missed. */
  watch?(onPayment: (gatewayInvoiceId: string) => void): Promise<() => void>
}

export interface GatewayInvoiceRequest {
  /** Our own id. It is public, so it may appear in the gateway's records. */
  invoiceId: string
  methodId: MethodId
  amountNano: Nano
  /** As the payer entered it; `amountNano` is its value. */
  requested: { amount: Decimal; currency: Currency }
  expirySeconds: number
  /** The page that a hosted checkout sends the payer back to. */
  returnUrl: string
}

export interface GatewayInvoice {
  gatewayInvoiceId: string
  checkoutUrl: string | null
  /** BOLT11. */
  lightningInvoice: string | null
  bitcoinAddress: string | null
  /** The amount to send in bitcoin; null if it is not paid in bitcoin. */
  bitcoinDue: Decimal | null
  /** By the gateway's clock; null leaves it to our database's. */
  expiresAt: Date | null
}

/** What a gateway reports about an invoice. All amounts are totals, so that a repeated report changes nothing. */
export interface Observation {
  state: InvoiceState
  /** Final payments in dollars so far, which need no rate, plus what was declared paid at the gateway. */
  paidNano: Nano
  /** The part of `paidNano` that came while the invoice could be paid. */
  inTimeNano: Nano
  /** True once a payment came after the invoice had expired. */
  paidLate: boolean
  /** Payments in bitcoin, in order of arrival; their value is decided on this side (arrivals.ts). */
  bitcoinPayments: readonly BitcoinPayment[]
  /** The gateway's own total of all of them at the invoice's rate; null unless all are final. */
  gatewayTotalNano: Nano | null
  /** Everything that was refunded so far. */
  refundedNano: Nano
  disputes: readonly Dispute[]
}

export interface BitcoinPayment {
  /** The gateway's own id for it, the same in every answer. */
  paymentId: string
  /** Above zero. */
  bitcoin: Decimal
  /** Its value at the invoice's own rate, rounded down. */
  atInvoiceRateNano: Nano
  /** By the gateway's clock. */
  receivedInTime: boolean
  /** Whether the payment is final: its sender can no longer take it back. */
  settled: boolean
}

/** A final refund, in dollars or in bitcoin. */
export type Refund = { refundId: string } & (
  | { usd: Decimal; bitcoin: null }
  | { usd: null; bitcoin: Decimal }
)

export interface Dispute {
  disputeId: string
  amountNano: Nano
  /** `withdrawn`: the bank took the money. `returned`: it gave the money back in the end. */
  state: 'withdrawn' | 'returned'
}

export interface WebhookNotice {
  /** The invoice to check; null if the event is not about one of ours. */
  gatewayInvoiceId: string | null
  /** Totals that the signed event itself contains. */
  totals: Pick<Observation, 'refundedNano' | 'disputes'> | null
}

/** The gateway could not be asked, or its answer was malformed. The message never contains the response body. */
export class GatewayError extends sharedError('GatewayError') {}
