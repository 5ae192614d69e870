import { type ApiCall, ApiCallError, callApi, callApiFor } from '@/lib/http/client/call-api'
import type { InvoiceStatus, NewInvoice, PaymentMethodOffer } from '../contracts/invoices'

type MethodName = PaymentMethodOffer['method']

/** The pages have words for these. A method that a newer server offers is left out. */
const KNOWN_METHODS: Readonly<Record<MethodName, true>> = { 'btc-lightning': true, btc: true, card: true }

/** Until a status is asked for. */
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

/** By which routes: with a credit of one's own, or with the token of a refill link. */
export type TopUpRoutes = '/topup' | '/topup/refill'

export interface TopUpOrder {
  methodName: MethodName
  amountUsd: number
}

/** In the server's order. @throws ApiCallError */
export async function listPaymentMethods(): Promise<PaymentMethodOffer[]> {
  const { supported_methods: methods } = await callApiFor<{ supported_methods: PaymentMethodOffer[] }>(
    'supported_methods',
    { method: 'GET', path: '/topup/payment-methods' },
  )
  return methods.filter(({ method }) => Object.hasOwn(KNOWN_METHODS, method))
}

/** An invoice in dollars. @throws ApiCallError */
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

/** What became of it. @throws ApiCallError */
export async function getTopUp(
  routes: TopUpRoutes,
  bearer: string,
  invoiceId: string,
): Promise<InvoiceStatus> {
  const path = `${routes}/status/${encodeURIComponent(invoiceId)}`
  return askForInvoice<InvoiceStatus>({ method: 'GET', path, bearer })
}

/** Its times are by this machine's clock, which may be wrong: by it a person is told how long is left. */
async function askForInvoice<Answer extends NewInvoice>(call: ApiCall): Promise<Answer> {
  const sentAtMs = Date.now()
  const response = await callApi(call)
  const aheadSeconds = clockAheadSeconds(sentAtMs, Date.now(), response.headers.get('date'))
  const invoice = (await response.json().catch(() => null)) as Answer | null
  if (invoice?.invoice_id == null) throw new ApiCallError('unknown')
  return {
    ...invoice,
    created_at: invoice.created_at + aheadSeconds,
    expires_at: invoice.expires_at + aheadSeconds,
    checkout_url: webAddress(invoice.checkout_url),
  }
}

/**
 * How far this machine's clock is ahead of the server's: not at all where it may be right, for the server
 * tells whole seconds and both ways took time; else as little as it can be, so that nobody is told of more
 * time than there is.
 */
function clockAheadSeconds(sentAtMs: number, receivedAtMs: number, date: string | null): number {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return 0
  const leastSeconds = (sentAtMs - serverMs) / 1000 - 1
  const mayBeRight = leastSeconds < 0 && receivedAtMs >= serverMs
  return mayBeRight ? 0 : Math.floor(leastSeconds)
}

/** Pays an invoice of the sandbox. @throws ApiCallError */
export async function payInSandbox(invoiceId: string): Promise<void> {
  const path = `/topup/sandbox/${encodeURIComponent(invoiceId)}/pay`
  await callApi({ method: 'POST', path, body: {} })
}

/** A checkout elsewhere is opened as a link: nothing but http(s) may stand there. */
function webAddress(text: string | null): string | null {
  return text && /^https?:\/\//.test(text) ? text : null
}
