import 'server-only'
import { type Decimal, formatDecimal } from '@/lib/money/decimal'
import { formatUsd } from '@/lib/money/nano'
import { log } from '@/lib/observability/log'
import { toBitcoin } from '../../domain/convert-amount'
import {
  type Gateway,
  GatewayError,
  type GatewayInvoice,
  type GatewayInvoiceRequest,
  type Refund,
} from '../../domain/gateway'
import { BITCOIN_METHOD, LIGHTNING_METHOD } from '../../domain/offered-methods'
import { cacheRate, fetchBitcoinRate } from '../../server/bitcoin-rate'
import { dateOf } from '../../server/read-answer'
import type { BtcpayInvoice, BtcpayPayout, BtcpayPullPayment } from './btcpay-api-types'
import { type BtcpayClient, type BtcpaySettings, createBtcpayClient } from './btcpay-client'
import { mapObservation } from './map-observation'
import { isPaymentMethod, paymentMethodIds } from './payment-method-ids'
import { isSignedByBtcpay, mapWebhook } from './webhook'

/**
 * Lightning and on-chain payments through a BTCPay Server of the operator's.
 * @param now a monotonic clock, in milliseconds
 */
export function createBtcpayGateway(settings: BtcpaySettings, now = () => performance.now()): Gateway {
  const client = createBtcpayClient(settings)
  const pullPayments = keepPullPayments(client, now)
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
    fetchRefunds: async ({ gatewayInvoiceId }) =>
      fetchRefunds(client, gatewayInvoiceId, await pullPayments.list()),
    async verifyWebhook({ rawBody, headers }) {
      const signature = headers.get('btcpay-sig')
      if (!isSignedByBtcpay({ rawBody, signature, secret: settings.webhookSecret })) return null
      const subject = mapWebhook(rawBody, settings.storeId)
      // The pull payment may be newer than the cached list.
      if (subject && 'pullPaymentId' in subject) pullPayments.forget()
      return { gatewayInvoiceId: subject && (await findInvoiceId(client, subject)), totals: null }
    },
  }
}

async function findInvoiceId(
  client: BtcpayClient,
  subject: NonNullable<ReturnType<typeof mapWebhook>>,
): Promise<string | null> {
  if ('invoiceId' in subject) return subject.invoiceId
  const pullPayment = await client.getPullPayment(subject.pullPaymentId)
  return pullPayment && refundedInvoiceId(pullPayment)
}

/**
 * A store lists all its pull payments in one response, which may be megabytes, and every check of a paid invoice needs
 * them; a page that waits for the rest of a payment checks every few seconds. A refund whose webhook was lost is found
 * this much later.
 */
const PULL_PAYMENTS_KEPT_MS = 60_000

/** Requests the list at most once in that time, successful or not. */
function keepPullPayments(client: BtcpayClient, now: () => number) {
  let latest: { askedAtMs: number; answer: ReturnType<BtcpayClient['listPullPayments']> } | null = null
  return {
    list() {
      if (!latest || now() - latest.askedAtMs >= PULL_PAYMENTS_KEPT_MS)
        latest = { askedAtMs: now(), answer: client.listPullPayments() }
      return latest.answer
    },
    forget() {
      latest = null
    },
  }
}

/** An invoice does not list its refunds, so the store's pull payments are searched for its id. */
async function fetchRefunds(
  client: BtcpayClient,
  invoiceId: string,
  pullPayments: readonly BtcpayPullPayment[] | null,
): Promise<Refund[]> {
  if (pullPayments === null) {
    warnOnce(UNSEEN_REFUNDS)
    return []
  }
  const refunds = pullPayments.filter(each => isRefundOf(each, invoiceId))
  const payouts = await Promise.all(
    refunds.map(async each => mapRefunds(each, await client.listPayouts(each.id))),
  )
  return payouts.flat()
}

/** Payments still work, but it must not go unnoticed that each refund costs the operator twice. */
const UNSEEN_REFUNDS =
  'btcpay: BTCPAY_API_KEY lacks the permission btcpay.store.canviewpullpayments. Refunds made in BTCPay Server are not taken back here.'
/**
 * By `swagger.template.stores-rates.json`, reading rates needs more than the permissions to create and view invoices.
 */
const UNSEEN_RATE =
  'btcpay: BTCPAY_API_KEY lacks the permission btcpay.store.canviewstoresettings, and BTC_RATE_URL gives no rate. Late payments have to wait, and top-ups cannot be given in bitcoin.'

const warnings = new Set<string>()

function warnOnce(warning: string): void {
  if (warnings.has(warning)) return
  warnings.add(warning)
  log.warn(warning)
}

/** The store's own rate, if no other source is configured or that one fails. */
async function fetchRate(client: BtcpayClient, rateUrl: string | null): Promise<Decimal> {
  if (rateUrl === null) return fetchStoreRate(client)
  try {
    return await fetchBitcoinRate(rateUrl)
  } catch (error) {
    if (error instanceof GatewayError) return fetchStoreRate(client)
    throw error
  }
}

async function fetchStoreRate(client: BtcpayClient): Promise<Decimal> {
  const rate = await client.getUsdPerBitcoin()
  if (rate) return rate
  warnOnce(UNSEEN_RATE)
  throw new GatewayError('BTCPay Server did not give its exchange rate.')
}

async function createInvoice(client: BtcpayClient, request: GatewayInvoiceRequest): Promise<GatewayInvoice> {
  const invoice = await createUnderKnownName(client, request)
  const methods = await client.getPaymentMethods(invoice.id)
  const method = methods.find(({ id }) => isPaymentMethod(id, request.methodId))
  if (!method?.destination) throw new GatewayError('BTCPay Server offers no payment method for this invoice.')
  const isLightning = request.methodId === 'btc-lightning'
  return {
    gatewayInvoiceId: invoice.id,
    checkoutUrl: invoice.checkoutLink ?? null,
    lightningInvoice: isLightning ? method.destination : null,
    bitcoinAddress: isLightning ? null : method.destination,
    bitcoinDue: method.due ?? null,
    expiresAt: dateOf(invoice.expirationTime),
  }
}

/** Version 1.x rejects the method names of 2.x. */
async function createUnderKnownName(
  client: BtcpayClient,
  request: GatewayInvoiceRequest,
): Promise<BtcpayInvoice> {
  for (const paymentMethodId of paymentMethodIds(request.methodId)) {
    const invoice = await client.createInvoice(convertInvoiceRequest(request, paymentMethodId))
    if (!invoice) continue
    if ((invoice.metadata?.orderId ?? request.invoiceId) === request.invoiceId) return invoice
    throw new GatewayError('BTCPay Server returned another invoice than was to be created.')
  }
  throw new GatewayError('BTCPay Server refused to create this invoice.')
}

/** An on-chain payment that comes weeks late is still somebody's money. */
const MONITORING_MINUTES = 30 * 24 * 60

/**
 * `CreateInvoiceRequest`. An amount in bitcoin is passed on as such, so that exactly these satoshis are asked for. With
 * `lazyPaymentMethods: false` the BOLT11 invoice exists as soon as the invoice does.
 */
function convertInvoiceRequest(request: GatewayInvoiceRequest, paymentMethodId: string) {
  return {
    ...amountOf(request),
    metadata: { orderId: request.invoiceId },
    checkout: {
      paymentMethods: [paymentMethodId],
      expirationMinutes: Math.ceil(request.expirySeconds / 60),
      monitoringMinutes: MONITORING_MINUTES,
      lazyPaymentMethods: false,
      redirectURL: request.returnUrl,
    },
  }
}

function amountOf({ amountNano, requested }: GatewayInvoiceRequest): { amount: string; currency: string } {
  const { amount, currency } = requested
  if (currency === 'USD') return { amount: formatUsd(amountNano), currency }
  return { amount: formatDecimal(toBitcoin(amount, currency)), currency: 'BTC' }
}

/** Matches an invoice's id; anything shorter could be a word that a person typed. */
const INVOICE_ID_PATTERN = /[A-Za-z0-9]{16,}/

/** "Refund KRC5BjXXXo8cRFKwTBmdR6" is the server's own name; the operator may have edited it. */
function isRefundOf({ name, description }: BtcpayPullPayment, invoiceId: string): boolean {
  return [name, description].some(text => text?.includes(invoiceId))
}

/** The invoice that a pull payment names; null if it is not a refund. */
function refundedInvoiceId({ name, description }: BtcpayPullPayment): string | null {
  return INVOICE_ID_PATTERN.exec(name ?? '')?.[0] ?? INVOICE_ID_PATTERN.exec(description ?? '')?.[0] ?? null
}

/**
 * The payouts that are final. In the currency of the refund if that is dollars or bitcoin, otherwise in the bitcoin
 * sent.
 *
 * @throws GatewayError if neither is given
 */
function mapRefunds({ currency }: BtcpayPullPayment, payouts: readonly BtcpayPayout[]): Refund[] {
  return payouts.filter(({ state }) => state === 'Completed').map(payout => mapPayout(currency, payout))
}

function mapPayout(pullPaymentCurrency: string, payout: BtcpayPayout): Refund {
  const { id: refundId, originalAmount, payoutAmount, payoutCurrency } = payout
  const currency = payout.originalCurrency ?? pullPaymentCurrency
  if (originalAmount && currency === 'USD') return { refundId, usd: originalAmount, bitcoin: null }
  if (originalAmount && (currency === 'BTC' || currency === 'SATS'))
    return { refundId, usd: null, bitcoin: toBitcoin(originalAmount, currency) }
  if (payoutAmount && payoutCurrency === 'BTC') return { refundId, usd: null, bitcoin: payoutAmount }
  throw new GatewayError('BTCPay Server did not say how much was refunded.')
}
