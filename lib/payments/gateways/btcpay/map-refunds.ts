import 'server-only'
import { toBitcoin } from '../../domain/convert-amount'
import { GatewayError, type Refund } from '../../domain/gateway'
import type { BtcpayPayout, BtcpayPullPayment } from './btcpay-api-types'

/** An invoice's id: nothing shorter is looked for in a name that a person may have typed. */
const INVOICE_ID_PATTERN = /[A-Za-z0-9]{16,}/

/** "Refund KRC5BjXXXo8cRFKwTBmdR6", as the server names it itself, or whatever the operator made of it. */
export function isRefundOf({ name, description }: BtcpayPullPayment, invoiceId: string): boolean {
  return [name, description].some(text => text?.includes(invoiceId))
}

/** The invoice that a pull payment names; null when it is no refund. */
export function refundedInvoiceId({ name, description }: BtcpayPullPayment): string | null {
  return INVOICE_ID_PATTERN.exec(name ?? '')?.[0] ?? INVOICE_ID_PATTERN.exec(description ?? '')?.[0] ?? null
}

/**
 * What has left for good. In the currency in which it was asked back where that is dollars or bitcoin, else
 * in the bitcoin that were sent.
 *
 * @throws GatewayError when neither is told
 */
export function mapRefunds({ currency }: BtcpayPullPayment, payouts: readonly BtcpayPayout[]): Refund[] {
  return payouts.filter(({ state }) => state === 'Completed').map(payout => mapPayout(currency, payout))
}

function mapPayout(pullPaymentCurrency: string, payout: BtcpayPayout): Refund {
  const { id: refundId, originalAmount, payoutAmount, payoutCurrency } = payout
  const currency = payout.originalCurrency ?? pullPaymentCurrency
  if (originalAmount && currency === 'USD') return { refundId, usd: originalAmount, bitcoin: null }
  if (originalAmount && (currency === 'BTC' || currency === 'SATS'))
    return { refundId, usd: null, bitcoin: toBitcoin(originalAmount, currency) }
  if (payoutAmount && payoutCurrency === 'BTC') return { refundId, usd: null, bitcoin: payoutAmount }
  throw new GatewayError('BTCPay Server does not tell how much was refunded.')
}
