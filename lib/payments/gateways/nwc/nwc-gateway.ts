import 'server-only'
import type { Decimal } from '@/lib/money/decimal'
import { MILLISATOSHIS_PER_SATOSHI } from '../../domain/bolt11'
import { bitcoinToSatoshis, satoshisToBitcoin, toBitcoin, toSatoshisUp } from '../../domain/convert-amount'
import {
  type Gateway,
  GatewayError,
  type GatewayInvoice,
  type GatewayInvoiceRequest,
} from '../../domain/gateway'
import { LIGHTNING_METHOD } from '../../domain/offered-methods'
import { cacheRate, DEFAULT_RATE_URL, fetchBitcoinRate } from '../../server/bitcoin-rate'
import { dateOf } from '../../server/read-answer'
import {
  findPayment,
  isPaymentUntold,
  mapTransaction,
  type NwcTransaction,
  parseTransaction,
} from './map-transaction'
import { createNwcClient, receivedPaymentHash } from './nwc-client'

export interface NwcSettings {
  /** `nostr+walletconnect://…`: whoever has it can use the wallet. */
  nwcUrl: string
  rateUrl?: string | null
  /** What the payer's wallet displays. */
  description: string
  /** See `createNwcClient`. Nothing can be watched then. */
  closesWhenIdle?: boolean
}

/** Lightning through any wallet of the operator's that supports Nostr Wallet Connect (NIP-47). */
export function createNwcGateway(settings: NwcSettings): Gateway {
  const askWallet = createNwcClient(settings.nwcUrl, { closesWhenIdle: settings.closesWhenIdle })
  const getRate = cacheRate({ fetchRate: () => fetchBitcoinRate(settings.rateUrl ?? DEFAULT_RATE_URL) })
  return {
    id: 'nwc',
    methods: [LIGHTNING_METHOD],
    getUsdPerBitcoin: getRate,
    createInvoice: async request =>
      createInvoice({ askWallet, description: settings.description, rate: await getRate() }, request),
    async fetchInvoice({ gatewayInvoiceId, amountNano, bitcoinDue }) {
      const answer = await askWallet(wallet =>
        wallet.ask('lookup_invoice', { payment_hash: gatewayInvoiceId }),
      )
      if (answer === null) return null
      const transaction = parseTransaction(answer)
      if (transaction.payment_hash.toLowerCase() !== gatewayInvoiceId)
        throw new GatewayError('The Lightning wallet returned another invoice than requested.')
      const seen = isPaymentUntold(transaction) ? await lookAmongPaid(askWallet, transaction) : transaction
      return mapTransaction(seen, { amountNano, bitcoinDue })
    },
    async watch(onPayment) {
      const stop = await askWallet(wallet =>
        wallet.subscribeNotifications(
          notification => {
            const paymentHash = receivedPaymentHash(notification)
            if (paymentHash) onPayment(paymentHash)
          },
          ['payment_received'],
        ),
      )
      return stop ?? (() => {})
    },
  }
}

/** Around the time that the wallet told: some list by when a payment began, others by when it ended. */
const LISTED_SECONDS = 10
const LISTED_COUNT_MAX = 50

/**
 * The payment of an invoice as the wallet lists it; the invoice as unpaid if it does not.
 * @throws GatewayError also if the connection may not list transactions
 */
async function lookAmongPaid(
  askWallet: ReturnType<typeof createNwcClient>,
  transaction: NwcTransaction,
): Promise<NwcTransaction> {
  const at = transaction.settled_at ?? transaction.created_at ?? 0
  const times = { from: at - LISTED_SECONDS, until: at + LISTED_SECONDS }
  const asked = { ...(at > 0 && times), limit: LISTED_COUNT_MAX, type: 'incoming' }
  try {
    const answer = await askWallet(wallet => wallet.ask('list_transactions', asked))
    return (
      findPayment(transaction.payment_hash.toLowerCase(), answer) ?? {
        ...transaction,
        state: null,
        settled_at: null,
      }
    )
  } catch (error) {
    throw new GatewayError(
      `The Lightning wallet does not tell whether an invoice was paid, and does not list those that were. ${(error as Error).message}`,
    )
  }
}

async function createInvoice(
  source: { askWallet: ReturnType<typeof createNwcClient>; description: string; rate: Decimal },
  request: GatewayInvoiceRequest,
): Promise<GatewayInvoice> {
  const satoshis = satoshisDue(request, source.rate)
  const amount = Number(satoshis * MILLISATOSHIS_PER_SATOSHI)
  const transaction = parseTransaction(
    await source.askWallet(wallet =>
      wallet.ask('make_invoice', { amount, description: source.description, expiry: request.expirySeconds }),
    ),
  )
  if (!transaction.invoice || (transaction.amount ?? amount) !== amount)
    throw new GatewayError('The Lightning wallet created an invoice that differs from the request.')
  return {
    gatewayInvoiceId: transaction.payment_hash.toLowerCase(),
    checkoutUrl: null,
    lightningInvoice: transaction.invoice,
    bitcoinAddress: null,
    bitcoinDue: satoshisToBitcoin(satoshis),
    expiresAt: dateOf(transaction.expires_at),
  }
}

/** An amount in bitcoin is asked for exactly; dollars are rounded up to a satoshi. */
function satoshisDue({ requested, amountNano }: GatewayInvoiceRequest, rate: Decimal): bigint {
  if (requested.currency === 'USD') return toSatoshisUp(amountNano, rate)
  return bitcoinToSatoshis(toBitcoin(requested.amount, requested.currency))
}
