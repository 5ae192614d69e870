import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import type { GatewayId } from './gateway'
import type { Invoice } from './invoice'
import type { Currency, MethodId, PaymentMethod } from './payment-method'

/** Everything that routes and commands may do with payments. */
export interface Payments {
  listMethods(): Promise<MethodOffer[]>
  createInvoice(input: CreateInvoiceInput): Promise<CreateInvoiceResult>
  /** Asks the gateway while that may bring news. Null for an unknown invoice and for another account's. */
  getInvoice(input: { accountId: string; invoiceId: string }): Promise<Invoice | null>
  /** What is kept of it here, whoever it belongs to: for commands. */
  findInvoice(input: { invoiceId: string }): Promise<Invoice | null>
  /** Asks the gateway now, whoever the invoice belongs to: for commands. */
  recheckInvoice(input: { invoiceId: string }): Promise<Invoice | null>
  /** Those of which something waits for the operator, the oldest first: for commands. */
  listUnderReview(): Promise<Invoice[]>
  /** Credits what waits for the operator, or a part of it. Null for an unknown invoice: for commands. */
  creditRest(input: CreditRestInput): Promise<{ approvedNano: Nano; invoice: Invoice } | null>
  handleWebhook(input: WebhookInput): Promise<{ outcome: WebhookOutcome }>
  /** Looks at invoices that are due for it, and credits what webhooks missed. */
  reconcile(input: { invoiceCountMax: number }): Promise<ReconcileResult>
  /** Listens to gateways that tell of payments by themselves; for a server that keeps running. */
  watch(): Promise<{ stop: () => void }>
  /** Pays a part of a sandbox invoice; null where there is no sandbox or no such invoice. */
  paySandboxInvoice(input: { invoiceId: string; fraction: Decimal }): Promise<Invoice | null>
}

export interface MethodOffer extends PaymentMethod {
  gatewayId: GatewayId
  bonusFraction: Decimal
  /** Null when no rate is known now: amounts in bitcoin cannot be invoiced until one is. */
  usdPerBitcoin: Decimal | null
}

export interface CreateInvoiceInput {
  accountId: string
  methodId: MethodId
  amount: Decimal
  currency: Currency
  /** The site's own origin, without a trailing slash. */
  siteUrl: string
  /** The page that a checkout elsewhere leads back to; `/top-up` when not said. */
  returnPath?: string
}

export type CreateInvoiceResult =
  | { outcome: 'created'; invoice: Invoice }
  | { outcome: 'unknown_method' }
  | { outcome: 'unknown_currency'; currencies: readonly Currency[] }
  | { outcome: 'amount_out_of_range'; minimumNano: Nano; maximumNano: Nano }
  | { outcome: 'amount_too_fine' }
  | { outcome: 'rate_unavailable' }

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
