import { type ApiCall, ApiCallError, callApi, callApiFor } from '@/lib/http/client/call-api'
import { METHOD_IDS, type MethodId } from '@/lib/payments/domain/payment-method'
import type { InvoiceStatus, NewInvoice, PaymentMethodOffer } from '../contracts/invoices'

/** The status of a new invoice, before it is fetched for the first time. */
const NOTHING_CAME = {
  status: 'New',
  additional_status: 'none',
  amount_paid: 0,
  paid_usd: 0,
  credited_usd: 0,
  uncredited_usd: 0,
  bonus_usd: 0,
  refunded_usd: 0,
} as const

/** The routes to use: those for a credit, or those for the token of a refill link. */
export type TopUpRoutes = '/topup' | '/topup/refill'

export interface TopUpOrder {
  methodName: MethodId
  amountUsd: number
}

/**
 * The payment methods in the server's order, but those that only a newer server knows: this page has no texts for them.
 *
 * @throws ApiCallError
 */
export async function listPaymentMethods(): Promise<PaymentMethodOffer[]> {
  const { supported_methods: methods } = await callApiFor<{ supported_methods: PaymentMethodOffer[] }>(
    'supported_methods',
    { method: 'GET', path: '/topup/payment-methods' },
  )
  return methods.filter(({ method }) => METHOD_IDS.includes(method))
}

/** Creates an invoice in dollars. @throws ApiCallError */
export async function orderTopUp(
  routes: TopUpRoutes,
  bearer: string,
  { methodName, amountUsd }: TopUpOrder,
): Promise<InvoiceStatus> {
  const invoice = await askForInvoice<NewInvoice>({
    method: 'POST',
    path: `${routes}/create/${methodName}`,
    bearer,
    body: { amount: amountUsd, currency: 'USD' },
  })
  return { ...invoice, ...NOTHING_CAME }
}

/** Fetches the state of an invoice. @throws ApiCallError */
export async function getTopUp(
  routes: TopUpRoutes,
  bearer: string,
  invoiceId: string,
): Promise<InvoiceStatus> {
  const path = `${routes}/status/${encodeURIComponent(invoiceId)}`
  return askForInvoice<InvoiceStatus>({ method: 'GET', path, bearer })
}

/** Converts the times of an invoice to this machine's clock, which may be wrong, since the page counts down by it. */
async function askForInvoice<Answer extends NewInvoice>(call: ApiCall): Promise<Answer> {
  const sentAtMs = Date.now()
  const response = await callApi(call)
  const receivedAtMs = Date.now()
  const invoice = (await response.json().catch(() => null)) as Answer | null
  if (invoice?.invoice_id == null) throw new ApiCallError('unknown')
  const readAtMs = (invoice.expires_at - invoice.expires_in_seconds) * 1000
  const aheadSeconds = clockAheadSeconds(sentAtMs, receivedAtMs, readAtMs)
  return {
    ...invoice,
    created_at: invoice.created_at + aheadSeconds,
    expires_at: invoice.expires_at + aheadSeconds,
    checkout_url: webAddress(invoice.checkout_url),
  }
}

/**
 * How far this machine's clock is ahead of the one by which the invoice expires. That is told in whole seconds, and the
 * request and its answer took time, so it is 0 if the clock may be right, and otherwise the smallest possible
 * difference: a person must not be shown more time than there is.
 */
function clockAheadSeconds(sentAtMs: number, receivedAtMs: number, serverMs: number): number {
  if (Number.isNaN(serverMs)) return 0
  const leastSeconds = (sentAtMs - serverMs) / 1000 - 1
  const mayBeRight = leastSeconds < 0 && receivedAtMs >= serverMs
  return mayBeRight ? 0 : Math.floor(leastSeconds)
}

/**
 * Pays an invoice of the sandbox: all of it, or a fraction.
 * @param paymentId a new UUID, since a browser may repeat the request when its connection breaks
 * @throws ApiCallError
 */
export async function payInSandbox(invoiceId: string, fraction: number, paymentId: string): Promise<void> {
  const path = `/topup/sandbox/${encodeURIComponent(invoiceId)}/pay`
  await callApi({ method: 'POST', path, body: { fraction, payment_id: paymentId } })
}

/** A checkout at another site is opened as a link, so only http(s) addresses are accepted. */
function webAddress(text: string | null): string | null {
  return text && /^https?:\/\//.test(text) ? text : null
}
