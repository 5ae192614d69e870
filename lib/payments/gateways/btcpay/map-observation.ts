import 'server-only'
import { add, compare, type Decimal, decimalFromInteger, isZero, multiply, ZERO } from '@/lib/money/decimal'
import { floorToNano, type Nano } from '@/lib/money/nano'
import { GatewayError, type Observation } from '../../domain/gateway'
import type { BtcpayInvoice, BtcpayPaymentMethod } from './btcpay-api-types'

const SATOSHI: Decimal = { coefficient: 1n, scale: 8 }
const PAID_DESPITE_STATE = ['PaidLate', 'PaidPartial', 'PaidOver']

/** What an invoice and its payment methods say has happened. @throws GatewayError for a foreign currency */
export function mapObservation(
  invoice: BtcpayInvoice,
  methods: readonly BtcpayPaymentMethod[],
  amountNano: Nano,
): Observation {
  const payments = methods.flatMap(({ payments }) => payments ?? []).filter(isSettled)
  const isLate = payments.some(({ receivedDate }) => (receivedDate ?? 0) > invoice.expirationTime)
  return {
    state: invoice.status,
    paidNano: worth(invoice, paidAmount(invoice, methods), amountNano),
    paidLate: invoice.additionalStatus === 'PaidLate' || isLate,
    refundedNano: 0n,
    disputes: [],
  }
}

/** In the invoice's currency: settled payments less their fees, each at its method's rate. */
function paidAmount(invoice: BtcpayInvoice, methods: readonly BtcpayPaymentMethod[]): Decimal {
  const isMarked = invoice.additionalStatus === 'Marked'
  // The operator declared that nothing was paid for, or that everything was.
  if (isMarked && invoice.status === 'Invalid') return ZERO
  const listed = methods.flatMap(({ payments }) => payments ?? [])
  const paid = listed.length > 0 ? settledSum(invoice, methods) : toldTotal(invoice, methods)
  return isMarked && invoice.status === 'Settled' ? larger(paid, invoice.amount) : paid
}

function settledSum(invoice: BtcpayInvoice, methods: readonly BtcpayPaymentMethod[]): Decimal {
  const listed = methods.flatMap(({ rate, payments }) => (payments ?? []).map(each => ({ ...each, rate })))
  const settled = listed.filter(isSettled)
  const sum = settled
    .map(({ value, fee, rate }) => multiply(subtract(value, fee ?? ZERO), rate))
    .reduce(add, ZERO)
  // Sums are rounded to a satoshi per payment. Within that, the server's own figures are meant: what it
  // asked for, or what it says was paid (which counts unconfirmed payments, so only when there are none).
  const toleranceRate = settled.map(({ rate }) => rate).reduce(add, ZERO)
  const tolerance = multiply(SATOSHI, toleranceRate)
  const told = settled.length === listed.length && invoice.paidAmount ? [invoice.paidAmount] : []
  return [invoice.amount, ...told].find(figure => isWithin(figure, sum, tolerance)) ?? sum
}

/** For servers that list no payments: totals, when the status says that they are for good. */
function toldTotal(invoice: BtcpayInvoice, methods: readonly BtcpayPaymentMethod[]): Decimal {
  const isFinal = invoice.status === 'Settled' || PAID_DESPITE_STATE.includes(invoice.additionalStatus ?? '')
  if (!isFinal) return ZERO
  const total = methods
    .map(({ paymentMethodPaid, rate }) => multiply(paymentMethodPaid ?? ZERO, rate))
    .reduce(add, ZERO)
  const told = invoice.paidAmount && !isZero(invoice.paidAmount) ? invoice.paidAmount : total
  return isZero(told) && invoice.status === 'Settled' ? invoice.amount : told
}

/** Dollars are counted as they are; bitcoin as the part of the invoice that it is. Rounded down. */
function worth(invoice: BtcpayInvoice, paid: Decimal, amountNano: Nano): Nano {
  if (paid.coefficient <= 0n) return 0n
  if (invoice.currency === 'USD') return floorToNano(paid)
  if (invoice.currency !== 'BTC' || invoice.amount.coefficient <= 0n)
    throw new GatewayError('BTCPay Server answered with an invoice that is none of ours.')
  const scale = Math.max(paid.scale, invoice.amount.scale)
  const units = (value: Decimal) => value.coefficient * 10n ** BigInt(scale - value.scale)
  return (amountNano * units(paid)) / units(invoice.amount)
}

function isSettled({ status }: { status?: string | null }): boolean {
  return status === 'Settled'
}

function isWithin(figure: Decimal, value: Decimal, tolerance: Decimal): boolean {
  return compare(figure, add(value, tolerance)) < 0 && compare(value, add(figure, tolerance)) < 0
}

function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, multiply(right, decimalFromInteger(-1)))
}

function larger(left: Decimal, right: Decimal): Decimal {
  return compare(left, right) < 0 ? right : left
}
