import { z } from 'zod'
import { decimalValue, wireText } from '@/lib/host-mode/domain/values'
import { sharedError } from '@/lib/http/domain/shared-error'
import { compare, type Decimal, isNegative, isZero } from '@/lib/money/decimal'
import { NANO_PER_USD, type Nano } from '@/lib/money/nano'
import { INVOICE_STATES } from './invoice-states'
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
 * that it is time to ask. Methods throw GatewayError if the gateway cannot be asked. Each adapter reads what its gateway
 * answers by a schema (read-answer.ts); what it makes of that is checked once more by the schemas below.
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

/** Linked from a page, so only http(s) addresses are allowed. */
export const checkoutUrl = z.url({ protocol: /^https?$/ }).max(4_000)

/**
 * BOLT11 invoices and addresses are put into `lightning:` and `bitcoin:` links, so only letters and digits are allowed.
 */
export const lightningInvoice = z.string().regex(/^ln[a-z0-9]{1,8000}$/i)
export const bitcoinAddress = z.string().regex(/^[a-z0-9]{10,120}$/i)

/** The most that is believed of one invoice: a billion dollars, of which several still fit into 64 bits. */
export const TOLD_NANO_MAX: Nano = 1_000_000_000n * NANO_PER_USD
const toldNano = z.bigint().min(0n).max(TOLD_NANO_MAX)

/** More than there is of any currency that is asked for. */
const TOLD_AMOUNT_MAX: Decimal = { coefficient: 10n ** 12n, scale: 0 }

/** An amount, or a rate. */
export const toldDecimal = decimalValue.refine(
  value => !isNegative(value) && compare(value, TOLD_AMOUNT_MAX) <= 0,
  'expected no less than zero, and no more than there is',
)
const toldDecimalAboveZero = toldDecimal.refine(value => !isZero(value), 'expected more than zero')

export const gatewayInvoiceSchema = z.object({
  gatewayInvoiceId: wireText.min(1),
  checkoutUrl: checkoutUrl.nullable(),
  /** BOLT11. */
  lightningInvoice: lightningInvoice.nullable(),
  bitcoinAddress: bitcoinAddress.nullable(),
  /** The amount to send in bitcoin; null if it is not paid in bitcoin. */
  bitcoinDue: toldDecimalAboveZero.nullable(),
  /** By the gateway's clock; null leaves it to our database's. */
  expiresAt: z.date().nullable(),
})

/** Stands for all payments of an invoice whose gateway lists none: the only id that several invoices may have. */
export const UNLISTED_PAYMENT_ID = 'total'

const bitcoinPayment = z.object({
  /** The gateway's own id for it, the same in every answer, and of no other payment. */
  paymentId: wireText,
  bitcoin: toldDecimalAboveZero,
  /** Its value at the invoice's own rate, rounded down. */
  atInvoiceRateNano: toldNano,
  /** By the gateway's clock. */
  receivedInTime: z.boolean(),
  /** Whether the payment is final: its sender can no longer take it back. */
  settled: z.boolean(),
})

const dispute = z.object({
  disputeId: wireText,
  amountNano: toldNano,
  /** `withdrawn`: the bank took the money. `returned`: it gave the money back in the end. */
  state: z.enum(['withdrawn', 'returned']),
})

/** What a gateway reports about an invoice. All amounts are totals, so that a repeated report changes nothing. */
export const observationSchema = z.object({
  state: z.enum(INVOICE_STATES),
  /** Final payments in dollars so far, which need no rate, plus what was declared paid at the gateway. */
  paidNano: toldNano,
  /** The part of `paidNano` that came while the invoice could be paid. */
  inTimeNano: toldNano,
  /** True once a payment came after the invoice had expired. */
  paidLate: z.boolean(),
  /** Payments in bitcoin, in order of arrival; their value is decided on this side (arrivals.ts). */
  bitcoinPayments: z.array(bitcoinPayment).readonly(),
  /** The gateway's own total of all of them at the invoice's rate; null unless all are final. */
  gatewayTotalNano: toldNano.nullable(),
  /** Everything that was refunded so far. */
  refundedNano: toldNano,
  disputes: z.array(dispute).readonly(),
})

/** A final refund, in dollars or in bitcoin. */
export const refundSchema = z.union([
  z.object({ refundId: wireText, usd: toldDecimal, bitcoin: z.null() }),
  z.object({ refundId: wireText, usd: z.null(), bitcoin: toldDecimal }),
])

export const webhookNoticeSchema = z.object({
  /** The invoice to check; null if the event is not about one of ours. */
  gatewayInvoiceId: z.string().nullable(),
  /** Totals that the signed event itself contains. */
  totals: observationSchema.pick({ refundedNano: true, disputes: true }).nullable(),
})

export type GatewayInvoice = z.output<typeof gatewayInvoiceSchema>
export type BitcoinPayment = z.output<typeof bitcoinPayment>
export type Dispute = z.output<typeof dispute>
export type Observation = z.output<typeof observationSchema>
export type Refund = z.output<typeof refundSchema>
export type WebhookNotice = z.output<typeof webhookNoticeSchema>

/** The gateway could not be asked, or its answer was malformed. The message never contains the response body. */
export class GatewayError extends sharedError('GatewayError') {}
