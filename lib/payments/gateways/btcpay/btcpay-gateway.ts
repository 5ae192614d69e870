import 'server-only'
import type { Decimal } from '@/lib/money/decimal'
import {
  type Gateway,
  GatewayError,
  type GatewayInvoice,
  type GatewayInvoiceRequest,
} from '../../domain/gateway'
import { BITCOIN_METHOD, LIGHTNING_METHOD } from '../../domain/payment-method'
import { cacheRate, fetchBitcoinRate } from '../../server/bitcoin-rate'
import type { BtcpayInvoice } from './btcpay-api-types'
import { type BtcpayClient, type BtcpaySettings, createBtcpayClient } from './btcpay-client'
import { convertInvoiceRequest } from './convert-invoice-request'
import { mapObservation } from './map-observation'
import { mapWebhook } from './map-webhook'
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
    async verifyWebhook({ rawBody, headers }) {
      const signature = headers.get('btcpay-sig')
      if (!isSignedByBtcpay({ rawBody, signature, secret: settings.webhookSecret })) return null
      return mapWebhook(rawBody, settings.storeId)
    },
  }
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
