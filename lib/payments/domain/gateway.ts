import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import type { InvoiceState } from './invoice-states'
import type { PaymentMethod } from './offered-methods'
import type { Currency, MethodId } from './payment-method'

/**
 * Every way of being paid, in order of preference: the first one that is configured and has a method serves
 * it. Names of gateways elsewhere, the check in the database included, are made from this list.
 */
export const GATEWAYS = ['btcpay', 'nwc', 'stripe', 'sandbox'] as const

export type GatewayId = (typeof GATEWAYS)[number]

/**
 * What every way of being paid has in common. A gateway is asked what really happened
 * (`fetchInvoice`); a webhook only says that it is time to look. Everything that a gateway answers is
 * checked by its adapter. Methods throw GatewayError when it cannot be asked.
 */
export interface Gateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /**
   * Dollars per bitcoin, never older than ten minutes; `fresh` takes the answer of this moment alone. Null for a gateway that
   * takes no bitcoin.
   */
  getUsdPerBitcoin(input?: { fresh: boolean }): Promise<Decimal | null>
  createInvoice(input: GatewayInvoiceRequest): Promise<GatewayInvoice>
  /** Null when the gateway knows no such invoice. */
  fetchInvoice(input: {
    gatewayInvoiceId: string
    amountNano: Nano
    bitcoinDue: Decimal | null
  }): Promise<Observation | null>
  /**
   * What was given back of an invoice, where the gateway tells each by itself and not in what `fetchInvoice`
   * says; asked only about invoices on which something arrived.
   */
  fetchRefunds?(input: { gatewayInvoiceId: string }): Promise<Refund[]>
  /** Null when the signature is missing, wrong or too old. Absent where nobody sends any. */
  verifyWebhook?(input: { rawBody: Uint8Array; headers: Headers }): Promise<WebhookNotice | null>
  /** Listens for payments where the gateway can tell of them; returns how to stop. Polling finds the rest. */
  watch?(onPayment: (gatewayInvoiceId: string) => void): Promise<() => void>
}

export interface GatewayInvoiceRequest {
  /** Our own id; it is public, so it may stand in the gateway's records. */
  invoiceId: string
  methodId: MethodId
  amountNano: Nano
  /** As the payer asked for it; `amountNano` is its worth. */
  requested: { amount: Decimal; currency: Currency }
  expirySeconds: number
  /** Where a hosted checkout sends the payer back to. */
  returnUrl: string
}

export interface GatewayInvoice {
  gatewayInvoiceId: string
  checkoutUrl: string | null
  /** BOLT11. */
  lightningInvoice: string | null
  bitcoinAddress: string | null
  /** What the payer has to send, in bitcoin; null where no bitcoin is sent. */
  bitcoinDue: Decimal | null
  /** By the gateway's clock; null leaves it to our database's. */
  expiresAt: Date | null
}

/** What a gateway says of an invoice. All amounts are totals, so hearing one twice changes nothing. */
export interface Observation {
  state: InvoiceState
  /** What arrived for good so far in dollars, which have no rate, or was declared paid at the gateway. */
  paidNano: Nano
  /** Of it, what came while the invoice could be paid. */
  inTimeNano: Nano
  /** True once a payment came after the invoice's time was over. */
  paidLate: boolean
  /** Payments in bitcoin, in the order in which they came; what they are worth is decided here (arrivals.ts). */
  bitcoinPayments: readonly BitcoinPayment[]
  /** What the gateway reckons all of them to be worth at the invoice's rate; null unless all are for good. */
  toldNano: Nano | null
  /** Everything that was given back so far. */
  refundedNano: Nano
  disputes: readonly Dispute[]
}

export interface BitcoinPayment {
  /** The gateway's own name for it, the same at every look. */
  paymentId: string
  /** Above zero. */
  bitcoin: Decimal
  /** Its worth at the invoice's own rate, rounded down. */
  atInvoiceRateNano: Nano
  /** By the gateway's clock. */
  receivedInTime: boolean
  /** For good: whoever sent it cannot take it back any more. */
  settled: boolean
}

/** One that is for good, in dollars or in bitcoin. */
export type Refund = { refundId: string } & (
  | { usd: Decimal; bitcoin: null }
  | { usd: null; bitcoin: Decimal }
)

export interface Dispute {
  disputeId: string
  amountNano: Nano
  /** The bank took the money; `returned` when it gave it back in the end. */
  state: 'withdrawn' | 'returned'
}

export interface WebhookNotice {
  /** The invoice to look at; null when the event is none of ours. */
  gatewayInvoiceId: string | null
  /** Totals that the signed event itself carries. */
  told: Pick<Observation, 'refundedNano' | 'disputes'> | null
}

/** In the registry of the whole process: a route's bundle must know an error of the services' bundle (ApiError). */
const BRAND: unique symbol = Symbol.for('tuppence.GatewayError')

/** The gateway could not be asked, or did not answer in its own language. Never carries its body. */
export class GatewayError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is GatewayError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  readonly [BRAND] = true
  override readonly name = 'GatewayError'
}
