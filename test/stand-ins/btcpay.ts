import { createHmac, randomUUID } from 'node:crypto'
import { formatUnits, StandInInvoice } from './btcpay-invoice'
import { missingPermission, StandInRefunds } from './btcpay-refunds'
import { readCreateInvoiceRequest } from './btcpay-request'
import { type JsonAnswer, startJsonServer } from './json-server'

export interface BtcpayStandInOptions {
  storeId?: string
  apiKey?: string
  webhookSecret?: string
  /** The server's clock, in Unix seconds. */
  now?: () => number
  /**
   * `both`: what the server accepts since 2.4; `short`: the paths in its 2.4 documentation; `store`: those of all
   * earlier versions.
   */
  invoicePaths?: 'both' | 'short' | 'store'
  enabledPaymentMethods?: readonly string[]
  /** The version whose field names payouts have. */
  payoutFieldNames?: 1 | 2
  port?: number
}

export type WebhookType =
  | 'InvoiceCreated'
  | 'InvoiceReceivedPayment'
  | 'InvoicePaymentSettled'
  | 'InvoiceProcessing'
  | 'InvoiceSettled'
  | 'InvoiceExpired'
  | 'InvoiceInvalid'

export type PayoutWebhookType = 'PayoutCreated' | 'PayoutApproved' | 'PayoutUpdated'

/**
 * BTCPay Server's Greenfield API as described by its `swagger.template.*.json`: invoices, their payment methods,
 * refunds, rates and webhooks, over HTTP on loopback. Tests make the payments.
 */
export async function startBtcpayStandIn(options: BtcpayStandInOptions = {}) {
  const storeId = options.storeId ?? '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776'
  const apiKey = options.apiKey ?? 'stand-in-api-key'
  const webhookSecret = options.webhookSecret ?? 'stand-in-webhook-secret'
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const invoices = new Map<string, StandInInvoice>()
  /** From the example "64392.23" in the documentation. */
  let centsPerBitcoin = 6_439_223n
  let isRateKnown = true
  let isDown = false

  let mayViewPullPayments = true
  let mayViewStoreSettings = true
  const refunds = new StandInRefunds({
    now,
    url: () => server.url,
    storeId,
    fieldNames: options.payoutFieldNames ?? 2,
    mayViewPullPayments: () => mayViewPullPayments,
  })

  const invoicePath =
    /^\/api\/v1(?<store>\/stores\/[^/]+)?\/invoices\/(?<id>[^/]+)(?<methods>\/payment-methods)?$/

  const server = await startJsonServer({
    port: options.port,
    answer: ({ method, path, query, headers, body }): JsonAnswer => {
      if (isDown) return { status: 503, body: { code: 'unavailable', message: 'The server is restarting.' } }
      if (headers.authorization !== `token ${apiKey}`)
        return { status: 401, body: { code: 'unauthenticated', message: 'Authentication is required.' } }
      if (path === `/api/v1/stores/${storeId}/invoices` && method === 'POST') return create(body)
      if (path === `/api/v1/stores/${storeId}/rates` && method === 'GET')
        return mayViewStoreSettings
          ? { status: 200, body: [rateResult()] }
          : missingPermission('btcpay.store.canviewstoresettings')
      const refund = method === 'GET' ? refunds.answer(path, query) : null
      if (refund) return refund
      const found = invoicePath.exec(path)?.groups
      if (!found || method !== 'GET' || !isServed(found.store)) return { status: 404, body: null }
      const invoice = invoices.get(found.id ?? '')
      if (!invoice) {
        // Since 2.4 the store of the short path is that of its invoice; without one, nobody has the permission.
        if (found.store === undefined && options.invoicePaths !== 'short')
          return missingPermission('btcpay.store.canviewinvoices')
        return { status: 404, body: { code: 'invoice-not-found', message: 'The invoice was not found' } }
      }
      invoice.update()
      return {
        status: 200,
        body: found.methods
          ? invoice.toPaymentMethods()
          : invoice.toInvoiceData({ url: server.url, storeId }),
      }
    },
  })

  /** `StoreRateResult` */
  function rateResult() {
    const rate = isRateKnown ? formatUnits(centsPerBitcoin, 2) : null
    return { currencyPair: 'BTC_USD', errors: isRateKnown ? [] : ['The rate provider timed out.'], rate }
  }

  function isServed(store: string | undefined): boolean {
    const paths = options.invoicePaths ?? 'both'
    if (store === undefined) return paths !== 'store'
    return store === `/stores/${storeId}` && paths !== 'short'
  }

  function create(body: unknown): JsonAnswer {
    const read = readCreateInvoiceRequest(body, options.enabledPaymentMethods ?? ['BTC-LN', 'BTC-CHAIN'])
    if (read.problems) return { status: 400, body: read.problems }
    const invoice = new StandInInvoice(read.request, now, centsPerBitcoin, () =>
      isRateKnown ? centsPerBitcoin : null,
    )
    invoices.set(invoice.id, invoice)
    return { status: 200, body: invoice.toInvoiceData({ url: server.url, storeId }) }
  }

  /** The body and headers of a delivery, as the server would send them. */
  function webhook(type: WebhookType, invoiceId: string, secret = webhookSecret) {
    return sign({ type, invoiceId, metadata: invoices.get(invoiceId)?.request.metadata ?? {} }, secret)
  }

  function payoutWebhook(type: PayoutWebhookType, payoutId: string, secret = webhookSecret) {
    return sign({ type, ...refunds.eventOf(payoutId) }, secret)
  }

  function sign(event: { type: string } & Record<string, unknown>, secret: string) {
    const { type, ...rest } = event
    const deliveryId = randomUUID()
    const rawBody = JSON.stringify({
      deliveryId,
      webhookId: 'stand-in-webhook',
      originalDeliveryId: deliveryId,
      isRedelivery: false,
      type,
      timestamp: now(),
      storeId,
      ...rest,
    })
    const signature = createHmac('sha256', secret).update(rawBody).digest('hex')
    return {
      rawBody,
      headers: { 'content-type': 'application/json', 'btcpay-sig': `sha256=${signature}` },
    }
  }

  return {
    url: server.url,
    settings: { url: server.url, storeId, apiKey, webhookSecret },
    webhook,
    payoutWebhook,
    refunds,
    /** Changes the permissions of the API key. */
    setMayViewPullPayments: (may: boolean) => {
      mayViewPullPayments = may
    },
    setMayViewStoreSettings: (may: boolean) => {
      mayViewStoreSettings = may
    },
    invoice(invoiceId: string): StandInInvoice {
      const invoice = invoices.get(invoiceId)
      if (!invoice) throw new Error(`The stand-in has no invoice ${invoiceId}.`)
      return invoice
    },
    newestInvoice(): StandInInvoice {
      const newest = [...invoices.values()].at(-1)
      if (!newest) throw new Error('The stand-in has no invoice.')
      return newest
    },
    /** The market rate from now on; invoices keep the rate that they were created with. */
    setRate: (cents: bigint) => {
      centsPerBitcoin = cents
    },
    rate: () => centsPerBitcoin,
    setRateKnown: (known: boolean) => {
      isRateKnown = known
    },
    setDown: (down: boolean) => {
      isDown = down
    },
    stop: server.stop,
  }
}
