import 'server-only'
import { z } from 'zod'
import { isObject } from '@/lib/http/domain/is-object'
import { GatewayError } from '../../domain/gateway'
import { askCounterparty } from '../../server/ask-counterparty'
import { checkRate } from '../../server/bitcoin-rate'
import { readAnswer } from '../../server/read-answer'
import {
  type BtcpayInvoice,
  type BtcpayPaymentMethod,
  type BtcpayPayout,
  type BtcpayPullPayment,
  btcpayInvoiceSchema,
  btcpayPaymentMethodsSchema,
  btcpayPayoutsSchema,
  btcpayPullPaymentSchema,
  btcpayRatesSchema,
} from './btcpay-api-types'

/** The server answers only when the Lightning node has created its invoice. */
const CREATE_TIMEOUT_MS = 20_000
const READ_TIMEOUT_MS = 10_000
/** A store's pull payments come in a single response: this is enough for tens of thousands of them. */
const PULL_PAYMENTS_BYTES_MAX = 16 * 1024 * 1024

export interface BtcpaySettings {
  /** Without a trailing slash; may contain a path. */
  url: string
  storeId: string
  apiKey: string
  webhookSecret: string
  /** A source of the rate that the operator prefers to the store's own. */
  rateUrl?: string | null
}

export type BtcpayClient = ReturnType<typeof createBtcpayClient>

/** The few calls of the Greenfield API that invoices and their refunds need. All throw GatewayError. */
export function createBtcpayClient({ url, storeId, apiKey }: BtcpaySettings) {
  const headers = { authorization: `token ${apiKey}` }
  const store = `${url}/api/v1/stores/${encodeURIComponent(storeId)}`
  const read = (address: string) => askCounterparty({ url: address, headers, timeoutMs: READ_TIMEOUT_MS })

  /**
   * The path under the store comes first: every version knows it, and it can only return this store's invoices. The
   * documentation of 2.4 and later lists only the shorter one, where those versions answer 403 for an unknown invoice.
   */
  const readInvoice = async (path: string) => {
    const underStore = await read(`${store}/invoices/${path}`)
    const isPathMissing = underStore.status === 404 && !isInvoiceUnknown(underStore.refusal)
    return isPathMissing ? read(`${url}/api/v1/invoices/${path}`) : underStore
  }

  return {
    /** Null if the server rejects the request as malformed (400 or 422). */
    async createInvoice(body: unknown): Promise<BtcpayInvoice | null> {
      const answer = await askCounterparty({
        url: `${store}/invoices`,
        method: 'POST',
        headers,
        body,
        timeoutMs: CREATE_TIMEOUT_MS,
      })
      if (answer.status === 400 || answer.status === 422) return null
      return parse(answer, btcpayInvoiceSchema)
    },

    /** Null for an unknown invoice and for another store's. */
    async getInvoice(invoiceId: string): Promise<BtcpayInvoice | null> {
      const answer = await readInvoice(encodeURIComponent(invoiceId))
      if (answer.status === 404) return null
      const invoice = parse(answer, btcpayInvoiceSchema)
      const isOurs = invoice.id === invoiceId && (invoice.storeId ?? storeId) === storeId
      return isOurs ? invoice : null
    },

    async getPaymentMethods(invoiceId: string): Promise<BtcpayPaymentMethod[]> {
      return parse(
        await readInvoice(`${encodeURIComponent(invoiceId)}/payment-methods`),
        btcpayPaymentMethodsSchema,
      )
    },

    /** Includes archived ones. Null if the API key may not see them, or the server has no pull payments. */
    async listPullPayments(): Promise<BtcpayPullPayment[] | null> {
      const answer = await askCounterparty({
        url: `${store}/pull-payments?includeArchived=true`,
        headers,
        timeoutMs: READ_TIMEOUT_MS,
        responseBytesMax: PULL_PAYMENTS_BYTES_MAX,
      })
      if ([401, 403, 404].includes(answer.status)) return null
      return parse(answer, z.array(btcpayPullPaymentSchema))
    },

    /** Null if it is unknown. */
    async getPullPayment(pullPaymentId: string): Promise<BtcpayPullPayment | null> {
      const answer = await read(`${url}/api/v1/pull-payments/${encodeURIComponent(pullPaymentId)}`)
      if (answer.status === 404) return null
      const pullPayment = parse(answer, btcpayPullPaymentSchema)
      return pullPayment.id === pullPaymentId ? pullPayment : null
    },

    async listPayouts(pullPaymentId: string): Promise<BtcpayPayout[]> {
      const path = `pull-payments/${encodeURIComponent(pullPaymentId)}/payouts?includeCancelled=false`
      const payouts = parse(await read(`${url}/api/v1/${path}`), btcpayPayoutsSchema)
      if (payouts.every(each => (each.pullPaymentId ?? pullPaymentId) === pullPaymentId)) return payouts
      throw new GatewayError('BTCPay Server returned the payouts of another refund than requested.')
    },

    /** Null if the API key may not see the rate. */
    async getUsdPerBitcoin() {
      const answer = await read(`${store}/rates?currencyPair=BTC_USD`)
      if (answer.status === 403) return null
      const rates = parse(answer, btcpayRatesSchema)
      return checkRate(rates.find(each => each.currencyPair === 'BTC_USD')?.rate)
    },
  }
}

function isInvoiceUnknown(refusal: unknown): boolean {
  return isObject(refusal) && refusal.code === 'invoice-not-found'
}

/** A failure has no body, which no schema accepts. */
function parse<Schema extends z.ZodType>(
  { status, body }: { status: number; body: unknown },
  schema: Schema,
): z.output<Schema> {
  return readAnswer(schema, body, `BTCPay Server (status ${status})`)
}
