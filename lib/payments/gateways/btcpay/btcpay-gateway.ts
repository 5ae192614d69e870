import 'server-only'
import type { Decimal } from '@/lib/money/decimal'
import {
  type Gateway,
  GatewayError,
  type GatewayInvoice,
  type GatewayInvoiceRequest,
  type Refund,
} from '../../domain/gateway'
import { BITCOIN_METHOD, LIGHTNING_METHOD } from '../../domain/payment-method'
import { cacheRate, fetchBitcoinRate } from '../../server/bitcoin-rate'
import type { BtcpayInvoice } from './btcpay-api-types'
import { type BtcpayClient, type BtcpaySettings, createBtcpayClient } from './btcpay-client'
import { convertInvoiceRequest } from './convert-invoice-request'
import { mapObservation } from './map-observation'
import { isRefundOf, mapRefunds, refundedInvoiceId } from './map-refunds'
import { type EventSubject, mapWebhook } from './map-webhook'
import { isPaymentMethod, paymentMethodIds } from './payment-method-ids'
import { isSignedByBtcpay } from './verify-webhook'

/** Lightning and on-chain payments by a BTCPay Server of the operator's. */
export function createBtcpayGateway(settings: BtcpaySettings): Gateway {
  const client = createBtcpayClient(settings)
  return {
    id: 'btcpay',
    methods: [LIGHTNING_METHOD, BITCOIN_METHOD],
    getUsdPerBitcoin: cacheRate({ fetchRate: () => fetchRate(client, settings.rateUrl ?? null) }),
    createInvoice: request => createInvoice(client, request),
    async fetchInvoice({ gatewayInvoiceId, amountNano }) {
      const invoice = await client.getInvoice(gatewayInvoiceId)
      if (!invoice) return null
      return mapObservation(invoice, await client.getPaymentMethods(gatewayInvoiceId), amountNano)
    },
    fetchRefunds: ({ gatewayInvoiceId }) => fetchRefunds(client, gatewayInvoiceId),
    async verifyWebhook({ rawBody, headers }) {
      const signature = headers.get('btcpay-sig')
      if (!isSignedByBtcpay({ rawBody, signature, secret: settings.webhookSecret })) return null
      const subject = mapWebhook(rawBody, settings.storeId)
      return { gatewayInvoiceId: subject && (await findInvoiceId(client, subject)), told: null }
    },
  }
}

async function findInvoiceId(
  client: BtcpayClient,
  subject: NonNullable<EventSubject>,
): Promise<string | null> {
  if ('invoiceId' in subject) return subject.invoiceId
  const pullPayment = await client.getPullPayment(subject.pullPaymentId)
  return pullPayment && refundedInvoiceId(pullPayment)
}

/** An invoice says nothing of its refunds: the store's pull payments are searched for its name. */
async function fetchRefunds(client: BtcpayClient, invoiceId: string): Promise<Refund[]> {
  const pullPayments = await client.listPullPayments()
  if (pullPayments === null) {
    warnOnce()
    return []
  }
  const refunds = pullPayments.filter(each => isRefundOf(each, invoiceId))
  const payouts = await Promise.all(
    refunds.map(async each => mapRefunds(each, await client.listPayouts(each.id))),
  )
  return payouts.flat()
}

let isWarned = false

/** Payments are taken all the same; that refunds cost the operator twice must not go unnoticed. */
function warnOnce(): void {
  if (isWarned) return
  isWarned = true
  process.stderr.write(
    'btcpay: BTCPAY_API_KEY may not see pull payments (btcpay.store.canviewpullpayments): what is refunded there stays spendable here.\n',
  )
}

/** The store's own rate where no other source is named, or that one does not answer. */
async function fetchRate(client: BtcpayClient, rateUrl: string | null): Promise<Decimal> {
  if (rateUrl === null) return client.getUsdPerBitcoin()
  try {
    return await fetchBitcoinRate(rateUrl)
  } catch (error) {
    if (error instanceof GatewayError) return client.getUsdPerBitcoin()
    throw error
  }
}

async function createInvoice(client: BtcpayClient, request: GatewayInvoiceRequest): Promise<GatewayInvoice> {
  const invoice = await createUnderKnownName(client, request)
  const methods = await client.getPaymentMethods(invoice.id)
  const method = methods.find(({ id }) => isPaymentMethod(id, request.methodId))
  if (!method?.destination) throw new GatewayError('BTCPay Server offers no way to pay this invoice.')
  const isLightning = request.methodId === 'btc-lightning'
  return {
    gatewayInvoiceId: invoice.id,
    checkoutUrl: invoice.checkoutLink ?? null,
    lightningInvoice: isLightning ? method.destination : null,
    bitcoinAddress: isLightning ? null : method.destination,
    bitcoinDue: method.due ?? null,
    expiresAt: new Date(invoice.expirationTime * 1000),
  }
}

/** Version 1.x refuses the names of 2.x. */
async function createUnderKnownName(
  client: BtcpayClient,
  request: GatewayInvoiceRequest,
): Promise<BtcpayInvoice> {
  for (const paymentMethodId of paymentMethodIds(request.methodId)) {
    const invoice = await client.createInvoice(convertInvoiceRequest(request, paymentMethodId))
    if (invoice) return invoice
  }
  throw new GatewayError('BTCPay Server refuses to make this invoice.')
}
