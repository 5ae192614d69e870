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
    /** Null when no rate is known now: amounts in bitcoin cannot be invoiced until one is. */
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
  /** The page that a checkout elsewhere leads back to; `/top-up` when not said. */
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
  isBelievable: isSame,
}

/** What another deployment may ask for. */
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
    isAskedOnce: true,
    isBelievable: (asked, result) => result.outcome !== 'created' || isAsAsked(asked, result.invoice),
  }),
  /** Asks the gateway while that may bring news. Null for an unknown invoice and for another account's. */
  getInvoice: verb({
    input: z.object({ accountId, invoiceId: wireText }),
    output: invoiceSchema.nullable(),
    isBelievable: isSame,
  }),
  /** What is kept of it here, whoever it belongs to: for commands. */
  findInvoice: verb(invoiceById),
  /** Asks the gateway now, whoever the invoice belongs to: for commands. */
  recheckInvoice: verb(invoiceById),
  /** Pays a part of a sandbox invoice; null where there is no sandbox or no such invoice. */
  paySandboxInvoice: verb({
    input: z.object({ invoiceId: wireText, fraction: wireDecimal }),
    output: invoiceSchema.nullable(),
    isAskedOnce: true,
    isBelievable: (asked, invoice) =>
      isSame(asked, invoice) && (invoice === null || invoice.gatewayId === 'sandbox'),
  }),
}

/** An invoice that was not asked for, or is another account's, is not shown to anybody. */
function isSame(asked: { invoiceId: string; accountId?: string }, invoice: Invoice | null): boolean {
  if (invoice === null) return true
  const isOwned = asked.accountId === undefined || invoice.accountId === asked.accountId
  return isOwned && invoice.invoiceId.toLowerCase() === asked.invoiceId.toLowerCase()
}

/** Whoever pays the new invoice pays what they asked to pay, into the account they named. */
function isAsAsked(asked: CreateInvoiceInput, invoice: Invoice): boolean {
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
  /** Those of which something waits for the operator, the oldest first: for commands. */
  listUnderReview(): Promise<Invoice[]>
  /** Credits what waits for the operator, or a part of it. Null for an unknown invoice: for commands. */
  creditRest(input: CreditRestInput): Promise<{ approvedNano: Nano; invoice: Invoice } | null>
  handleWebhook(input: WebhookInput): Promise<{ outcome: WebhookOutcome }>
  /** Looks at invoices that are due for it, and credits what webhooks missed. */
  reconcile(input: { invoiceCountMax: number }): Promise<ReconcileResult>
  /** Listens to gateways that tell of payments by themselves; for a server that keeps running. */
  watch(): Promise<{ stop: () => void }>
}

export interface CreditRestInput {
  invoiceId: string
  /** Null for all of it. */
  amountNano: Nano | null
  /** Kept with the transfer. */
  operator: string
  reason: string
}

export interface WebhookInput {
  gatewayId: GatewayId
  rawBody: Uint8Array
  headers: Headers
}

/** `absent`: no such gateway here; `refused`: not proven to come from it; `ignored`: none of our invoices. */
export type WebhookOutcome = 'absent' | 'refused' | 'ignored' | 'handled'

export interface ReconcileResult {
  checkedCount: number
  /** Gateways that could not be asked; those invoices come up again. */
  failedCount: number
  creditedNano: Nano
}

/** Payments that another deployment takes: `POST /api/payments-host/<verb>`. */
export const PAYMENTS_CONTRACT = contractOf(PAYMENT_VERBS)

/** The refill links of the accounts there. */
export const REFILL_LINKS_CONTRACT = { ...contractOf(REFILL_LINK_VERBS), suffix: 'RefillLink' }

function contractOf<Table extends VerbTable>(verbs: Table): HostContract<Table> {
  return {
    folder: 'payments-host',
    verbs,
    // Longer than the slowest gateway is given to make an invoice, so that the host's own refusal arrives.
    timeoutMs: 25_000,
    // A question has a few ids, an amount and an address.
    requestBytesMax: 16 * 1024,
    // The longest answer is one invoice, or three methods.
    responseBytesMax: 64 * 1024,
    toRefusal: error => {
      if (error instanceof GatewayError) return 'gateway_error'
      return isForeignKeyViolation(error) ? 'unknown_account' : 'unavailable'
    },
    // Without a cause, which may hold secrets.
    toError: (_refusal, message) => new GatewayError(message),
  }
}

/** What is written down belongs to an account; PostgreSQL says that there is none of that id. */
function isForeignKeyViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23503'
}
