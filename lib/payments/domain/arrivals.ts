import { compare, type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { BitcoinPayment } from './gateway'
import { SATOSHIS_PER_BITCOIN } from './payment-method'

/**
 * A payment that came in time keeps the invoice's rate if it is final within a day of the invoice's expiry, which is
 * BTCPay Server's own default. A transaction that pays hardly any fee can stay unconfirmed for weeks, and its sender
 * could wait for the price to fall, or take it back.
 */
export const RATE_KEPT_SECONDS = 24 * 3600

/** How much of what comes in time gets the invoice's rate: twice its amount, as much as Lightning lets a wallet send. */
export function rateKeptUpToNano(amountNano: Nano): Nano {
  return 2n * amountNano
}

/** What is stored of one payment in bitcoin. */
export interface Arrival {
  paymentId: string
  bitcoin: Decimal
  inTime: boolean
  /** Its value at the invoice's own rate. */
  atInvoiceRateNano: Nano
  /** The lowest rate between when it was first seen and when it became final; null if the invoice's rate decided. */
  usdPerBitcoin: Decimal | null
  /** Null until the payment is final; fixed from then on. */
  worthNano: Nano | null
}

export interface ValueArrivalsInput {
  amountNano: Nano
  payments: readonly BitcoinPayment[]
  /** What earlier observations stored. */
  known: readonly Arrival[]
  /** False once a payment that is not yet final has lost the invoice's rate (RATE_KEPT_SECONDS). */
  isRateKept: boolean
  /** The gateway's own total of all payments at the invoice's rate; see Observation. */
  gatewayTotalNano: Nano | null
  /** The current rate; null if none is known. */
  usdPerBitcoin: Decimal | null
}

export interface ValuedArrivals {
  /** Those that are new or changed. */
  arrivals: Arrival[]
  /** Whether the value of some payment depends on the current rate. */
  needsRate: boolean
  /** Whether a final payment could not be valued, because it depends on the current rate and none is known. */
  isWaiting: boolean
}

/**
 * Fixes the value of each payment, once: the invoice's rate for what came in time, up to twice the amount, and the rate
 * of its arrival for everything else. For a payment that was seen before it was final this is the lower of both rates,
 * so that nobody gains by delaying a payment.
 */
export function valueArrivals(input: ValueArrivalsInput): ValuedArrivals {
  const { payments, known, isRateKept, usdPerBitcoin: rate } = input
  const seenById = new Map(known.map(arrival => [arrival.paymentId, arrival]))
  const counted = known.filter(({ worthNano }) => worthNano !== null)
  const result: ValuedArrivals = { arrivals: [], needsRate: false, isWaiting: false }
  for (const payment of new Map(payments.map(each => [each.paymentId, each])).values()) {
    const seen = seenById.get(payment.paymentId)
    if (seen && seen.worthNano !== null) continue
    const inTime = payment.receivedInTime && isRateKept
    if (inTime && !payment.settled) continue
    const arrival: Arrival = {
      paymentId: payment.paymentId,
      bitcoin: payment.bitcoin,
      inTime,
      atInvoiceRateNano: roundedPart(payment, counted, input),
      usdPerBitcoin: null,
      worthNano: null,
    }
    const keptNano = inTime ? minNano(arrival.atInvoiceRateNano, rateKeptForNano(counted, input)) : 0n
    const excessNano = arrival.atInvoiceRateNano - keptNano
    if (excessNano > 0n) {
      result.needsRate = true
      if (rate === null) {
        result.isWaiting ||= payment.settled
        continue
      }
      arrival.usdPerBitcoin = seen?.usdPerBitcoin ? lower(seen.usdPerBitcoin, rate) : rate
    }
    if (payment.settled) {
      arrival.worthNano = keptNano + atRate(excessNano, payment, arrival.usdPerBitcoin)
      counted.push(arrival)
    }
    result.arrivals.push(arrival)
  }
  return result
}

/** The totals of all final payments. */
export function totalsOf(arrivals: readonly Arrival[]): {
  paidNano: Nano
  inTimeNano: Nano
  paidLate: boolean
} {
  const counted = arrivals.filter(({ worthNano }) => worthNano !== null)
  const worth = ({ worthNano }: Arrival) => worthNano ?? 0n
  return {
    paidNano: sum(counted.map(worth)),
    inTimeNano: sum(counted.filter(({ inTime }) => inTime).map(worth)),
    paidLate: counted.some(({ inTime }) => !inTime),
  }
}

/**
 * The part of the invoice that a payment covers. The amount due and each payment are rounded up to a satoshi. Within
 * that tolerance the gateway's own figures count: the amount requested, or its total of what was paid.
 */
function roundedPart(
  payment: BitcoinPayment,
  counted: readonly Arrival[],
  { amountNano, gatewayTotalNano }: ValueArrivalsInput,
): Nano {
  const beforeNano = sum(counted.map(each => each.atInvoiceRateNano))
  const totalNano = beforeNano + payment.atInvoiceRateNano
  const toleranceNano = satoshiNano(payment) * BigInt(counted.length + 1)
  const figure = [amountNano, gatewayTotalNano].find(
    each =>
      each !== null &&
      each > beforeNano &&
      each < totalNano + toleranceNano &&
      totalNano < each + toleranceNano,
  )
  return (figure ?? totalNano) - beforeNano
}

/** How much more of what comes in time gets the invoice's rate. */
function rateKeptForNano(counted: readonly Arrival[], { amountNano }: ValueArrivalsInput): Nano {
  const usedNano = sum(counted.filter(({ inTime }) => inTime).map(each => each.atInvoiceRateNano))
  return maxNano(0n, rateKeptUpToNano(amountNano) - usedNano)
}

/**
 * What a part of a payment, given at the invoice's rate, is worth at another rate. Rounded down; differences of less
 * than a satoshi are ignored.
 */
function atRate(partNano: Nano, payment: BitcoinPayment, usdPerBitcoin: Decimal | null): Nano {
  if (partNano === 0n || usdPerBitcoin === null || payment.atInvoiceRateNano === 0n) return 0n
  const allNano = floorToNano(multiply(payment.bitcoin, usdPerBitcoin))
  const worthNano = (partNano * allNano) / payment.atInvoiceRateNano
  const differenceNano = maxNano(worthNano - partNano, partNano - worthNano)
  return differenceNano < satoshiNano(payment) ? partNano : worthNano
}

/** One satoshi at the invoice's rate, rounded up. */
function satoshiNano({ atInvoiceRateNano, bitcoin }: BitcoinPayment): Nano {
  return (
    (atInvoiceRateNano * 10n ** BigInt(bitcoin.scale)) / (bitcoin.coefficient * SATOSHIS_PER_BITCOIN) + 1n
  )
}

function sum(amounts: readonly Nano[]): Nano {
  return amounts.reduce((total, each) => total + each, 0n)
}

function lower(left: Decimal, right: Decimal): Decimal {
  return compare(left, right) < 0 ? left : right
}
