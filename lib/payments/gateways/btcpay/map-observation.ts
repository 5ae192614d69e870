import 'server-only'
import { add, type Decimal, isZero, multiply, subtract, ZERO } from '@/lib/money/decimal'
import { floorToNano, minNano, type Nano } from '@/lib/money/nano'
import { rateKeptUpToNano } from '../../domain/arrivals'
import { partOf } from '../../domain/convert-amount'
import {
  type BitcoinPayment,
  GatewayError,
  type Observation,
  UNLISTED_PAYMENT_ID,
} from '../../domain/gateway'
import { checkRate } from '../../server/bitcoin-rate'
import type { BtcpayInvoice, BtcpayPayment, BtcpayPaymentMethod } from './btcpay-api-types'
import { isBitcoinMethod } from './payment-method-ids'

const PAID_DESPITE_STATE = ['PaidPartial', 'PaidOver']

/** Reads what has happened from an invoice and its payment methods. @throws GatewayError for a foreign currency */
export function mapObservation(
  invoice: BtcpayInvoice,
  methods: readonly BtcpayPaymentMethod[],
  amountNano: Nano,
): Observation {
  const isMarked = invoice.additionalStatus === 'Marked'
  const listed = methods
    .flatMap(method => (method.payments ?? []).map(payment => ({ payment, method })))
    .sort((left, right) => (left.payment.receivedDate ?? 0) - (right.payment.receivedDate ?? 0))
  const payments = listed
    .map(({ payment, method }) => mapPayment(invoice, amountNano, payment, method))
    .filter(({ bitcoin }) => bitcoin.coefficient > 0n)
  // The operator marked the invoice as invalid, or as settled.
  const isVoid = isMarked && invoice.status === 'Invalid'
  const isDeclaredPaid = isMarked && invoice.status === 'Settled'
  const unlisted = listed.length > 0 ? NOTHING_UNLISTED : mapTotals(invoice, methods, amountNano)
  const isAllSettled = payments.every(({ settled }) => settled)
  return {
    state: invoice.status,
    paidNano: isDeclaredPaid ? amountNano : unlisted.paidNano,
    inTimeNano: isDeclaredPaid ? 0n : unlisted.paidNano,
    paidLate: invoice.additionalStatus === 'PaidLate' || payments.some(isSettledLate),
    bitcoinPayments: isVoid ? [] : [...payments, ...unlisted.payments],
    gatewayTotalNano:
      isAllSettled && invoice.paidAmount ? worth(invoice, invoice.paidAmount, amountNano) : null,
    refundedNano: 0n,
    disputes: [],
  }
}

function mapPayment(
  invoice: BtcpayInvoice,
  amountNano: Nano,
  payment: BtcpayPayment,
  { id: methodId, rate }: BtcpayPaymentMethod,
): BitcoinPayment {
  if (!isBitcoinMethod(methodId))
    throw new GatewayError('BTCPay Server reported a payment in a currency other than bitcoin.')
  const bitcoin = subtract(payment.value, payment.fee ?? ZERO)
  const { receivedDate } = payment
  // A payment is valued once: by no rate that would make it worth nothing for good.
  if (invoice.currency === 'USD') checkRate(rate)
  return {
    paymentId: payment.id,
    bitcoin,
    atInvoiceRateNano: worth(invoice, multiply(bitcoin, rate), amountNano),
    receivedInTime: receivedDate
      ? receivedDate <= invoice.expirationTime
      : invoice.additionalStatus !== 'PaidLate',
    settled: payment.status === 'Settled',
  }
}

const NOTHING_UNLISTED: { paidNano: Nano; payments: BitcoinPayment[] } = { paidNano: 0n, payments: [] }

/**
 * For servers that do not list payments: uses totals, once the status says that they are final. If in time, they are
 * worth what the server says, up to twice the amount; if late, they count as one payment.
 */
function mapTotals(
  invoice: BtcpayInvoice,
  methods: readonly BtcpayPaymentMethod[],
  amountNano: Nano,
): typeof NOTHING_UNLISTED {
  const isLate = invoice.additionalStatus === 'PaidLate'
  const isFinal = invoice.status === 'Settled' || PAID_DESPITE_STATE.includes(invoice.additionalStatus ?? '')
  if (!isLate && !isFinal) return NOTHING_UNLISTED
  const total = methods.map(each => multiply(each.paymentMethodPaid ?? ZERO, each.rate)).reduce(add, ZERO)
  const paid = invoice.paidAmount && !isZero(invoice.paidAmount) ? invoice.paidAmount : total
  const atInvoiceRateNano = isZero(paid) && isFinal ? amountNano : worth(invoice, paid, amountNano)
  if (!isLate) return { paidNano: minNano(atInvoiceRateNano, rateKeptUpToNano(amountNano)), payments: [] }
  const bitcoin = methods.map(each => each.paymentMethodPaid ?? ZERO).reduce(add, ZERO)
  const late = { bitcoin, atInvoiceRateNano, receivedInTime: false, settled: true }
  return { paidNano: 0n, payments: isZero(bitcoin) ? [] : [{ paymentId: UNLISTED_PAYMENT_ID, ...late }] }
}

/** Dollars count as they are, bitcoin as the share of the invoice that it covers. Rounded down. */
function worth(invoice: BtcpayInvoice, paid: Decimal, amountNano: Nano): Nano {
  if (paid.coefficient <= 0n) return 0n
  if (invoice.currency === 'USD') return floorToNano(paid)
  if (invoice.currency !== 'BTC' || invoice.amount.coefficient <= 0n)
    throw new GatewayError('BTCPay Server returned an invoice that was not created by this site.')
  return partOf(amountNano, paid, invoice.amount)
}

function isSettledLate({ settled, receivedInTime }: BitcoinPayment): boolean {
  return settled && !receivedInTime
}
