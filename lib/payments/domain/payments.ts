import { z } from 'zod'
import { type HostContract, type Verbs, type VerbTable, verb } from '@/lib/host-mode/domain/contract'
import {
  wireAmountFound,
  wireDecimal,
  wireDecimalAboveZero,
  wireFraction,
  wireNothing,
  wireText,
} from '@/lib/host-mode/domain/values'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { compare } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { toNano } from './convert-amount'
import { GATEWAYS, GatewayError, type GatewayId } from './gateway'
import { type Invoice, invoiceSchema } from './invoice'
import { paymentMethod } from './offered-methods'
import { CURRENCIES, METHOD_IDS } from './payment-method'
import { REFILL_LINK_VERBS } from './refill-links'

const accountId = z.uuid()
const currency = z.enum(CURRENCIES)

const methodOffer = paymentMethod
  .extend({
    gatewayId: z.enum(GATEWAYS),
    bonusFraction: wireFraction,
    /** Null if no rate is known at the moment; no invoice over an amount in bitcoin can be created then. */
    usdPerBitcoin: wireDecimalAboveZero.nullable(),
  })
  .refine(({ minimumNano, maximumNano }) => minimumNano <= maximumNano, 'no amount is within these limits')

const createInvoiceInput = z.object({
  accountId,
  methodId: z.enum(METHOD_IDS),
  amount: wireDecimal,
  currency,
  /** The origin of the visitor's site, without a trailing slash. */
  siteUrl: z
    .url({ protocol: /^https?$/ })
    .max(300)
    .regex(/[^/]$/),
  /** The page that a hosted checkout returns to; `/top-up` by default. */
  returnPath: z
    .string()
    .max(200)
    .regex(/^\/[A-Za-z0-9/_-]*$/)
    .optional(),
})

const createInvoiceResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('created'), invoice: invoiceSchema }),
  z.object({ outcome: z.literal('unknown_method') }),
  z.object({ outcome: z.literal('unknown_currency'), currencies: z.array(currency).readonly() }),
  z.object({
    outcome: z.literal('amount_out_of_range'),
    minimumNano: wireAmountFound,
    maximumNano: wireAmountFound,
  }),
  z.object({ outcome: z.literal('amount_too_fine') }),
  z.object({ outcome: z.literal('rate_unavailable') }),
])

export type MethodOffer = z.output<typeof methodOffer>
export type CreateInvoiceInput = z.output<typeof createInvoiceInput>
export type CreateInvoiceResult = z.output<typeof createInvoiceResult>

const invoiceById = {
  input: z.object({ invoiceId: wireText }),
  output: invoiceSchema.nullable(),
  isBelievable: isRequestedInvoice,
}

/** What another deployment may request. */
const PAYMENT_VERBS = {
  listMethods: verb({
    input: wireNothing,
    output: z
      .array(methodOffer)
      .max(METHOD_IDS.length)
      .refine(offers => new Set(offers.map(({ id }) => id)).size === offers.length, 'a method twice'),
  }),
  createInvoice: verb({
    input: createInvoiceInput,
    output: createInvoiceResult,
    isSentOnce: true,
    isBelievable: (asked, result) => result.outcome !== 'created' || matchesRequest(asked, result.invoice),
  }),
  /** Asks the gateway if there may be news. Null for an unknown invoice and for another account's. */
  getInvoice: verb({
    input: z.object({ accountId, invoiceId: wireText }),
    output: invoiceSchema.nullable(),
    isBelievable: isRequestedInvoice,
  }),
  /** The stored invoice, whichever account it belongs to: for commands. */
  findInvoice: verb(invoiceById),
  /** Asks the gateway now, whichever account the invoice belongs to: for commands. */
  recheckInvoice: verb(invoiceById),
  /** Pays a fraction of a sandbox invoice, once per id; null if there is no sandbox or no such invoice. */
  paySandboxInvoice: verb({
    input: z.object({ invoiceId: wireText, fraction: wireDecimal, paymentId: z.uuid().optional() }),
    output: invoiceSchema.nullable(),
    isSentOnce: true,
    isBelievable: (asked, invoice) =>
      isRequestedInvoice(asked, invoice) && (invoice === null || invoice.gatewayId === 'sandbox'),
  }),
}

/** Rejects an invoice other than the requested one, or of another account: it would be shown to the wrong person. */
function isRequestedInvoice(
  asked: { invoiceId: string; accountId?: string },
  invoice: Invoice | null,
): boolean {
  if (invoice === null) return true
  const isOwned = asked.accountId === undefined || invoice.accountId === asked.accountId
  return isOwned && invoice.invoiceId.toLowerCase() === asked.invoiceId.toLowerCase()
}

/** Makes sure that the payer of a new invoice pays the requested amount into the requested account. */
function matchesRequest(asked: CreateInvoiceInput, invoice: Invoice): boolean {
  return (
    invoice.accountId === asked.accountId &&
    invoice.methodId === asked.methodId &&
    invoice.requestedCurrency === asked.currency &&
    compare(invoice.requestedAmount, asked.amount) === 0 &&
    (asked.currency !== 'USD' || invoice.amountNano === toNano(asked.amount, 'USD', null))
  )
}

/** Everything that routes and commands may do with payments. */
export interface Payments extends Verbs<typeof PAYMENT_VERBS> {
  /** Invoices that await the operator, oldest first: for commands. */
  listUnderReview(): Promise<Invoice[]>
  /** Credits what awaits the operator, or a part of it. Null for an unknown invoice: for commands. */
  creditRest(input: CreditRestInput): Promise<{ approvedNano: Nano; invoice: Invoice } | null>
  handleWebhook(input: WebhookInput): Promise<{ outcome: WebhookOutcome }>
  /** Checks the invoices that are due, and credits what webhooks missed. */
  reconcile(input: { invoiceCountMax: number }): Promise<ReconcileResult>
  /** Subscribes to gateways that announce payments; for a server that keeps running. */
  watch(): Promise<{ stop: () => void }>
}

export interface CreditRestInput {
  invoiceId: string
  /** Null to credit everything. */
  amountNano: Nano | null
  /** Stored with the transfer. */
  operator: string
  reason: string
}

export interface WebhookInput {
  gatewayId: GatewayId
  rawBody: Uint8Array
  headers: Headers
}

/** `absent`: no such gateway here; `refused`: not proven to come from it; `ignored`: not about one of our invoices. */
export type WebhookOutcome = 'absent' | 'refused' | 'ignored' | 'handled'

export interface ReconcileResult {
  checkedCount: number
  /** Invoices whose gateway could not be asked; they are checked again later. */
  failedCount: number
  creditedNano: Nano
}

/** Payments that another deployment handles: `POST /api/payments-host/<verb>`. */
export const PAYMENTS_CONTRACT = contractOf(PAYMENT_VERBS)

/** The refill links of accounts at the other deployment. */
export const REFILL_LINKS_CONTRACT = { ...contractOf(REFILL_LINK_VERBS), suffix: 'RefillLink' }

function contractOf<Table extends VerbTable>(verbs: Table): HostContract<Table> {
  return {
    folder: 'payments-host',
    verbs,
    // Longer than the slowest gateway may take to create an invoice, so that the host's own refusal arrives.
    timeoutMs: 25_000,
    // A request has a few ids, an amount and an address.
    requestBytesMax: 16 * 1024,
    // The longest answer is one invoice, or three methods.
    responseBytesMax: 64 * 1024,
    toRefusal: error => {
      if (error instanceof GatewayError) return 'gateway_error'
      return isForeignKeyViolation(error) ? 'unknown_account' : 'unavailable'
    },
    // Without the cause, which may contain secrets.
    toError: (_refusal, message) => new GatewayError(message),
  }
}

/** Everything stored belongs to an account: PostgreSQL reports that there is none with this id. */
function isForeignKeyViolation(error: unknown): boolean {
  return fieldsOf(error).code === '23503'
}
