import { compare, type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { BitcoinPayment } from './gateway'

/**
 * A payment that came in time is worth what the invoice said as long as it is for good within a day of the
 * invoice's end, BTCPay Server's own default: a transaction that pays hardly any fee waits in the open for
 * weeks, and whoever sent it could wait for the price to fall or take it back.
 */
export const RATE_KEPT_SECONDS = 24 * 3600

/** The invoice's rate holds for up to twice its amount, which is what Lightning lets a wallet send. */
const RATE_KEPT_TIMES = 2n

/** What is kept of one payment in bitcoin. */
export interface Arrival {
  paymentId: string
  bitcoin: Decimal
  inTime: boolean
  /** Its part of the invoice: its worth at the invoice's own rate. */
  atInvoiceRateNano: Nano
  /** The lowest rate seen from when it was seen first until it was for good; null where the invoice's decided. */
  usdPerBitcoin: Decimal | null
  /** Null until it is for good; then it never changes. */
  worthNano: Nano | null
}

export interface ValueArrivalsInput {
  amountNano: Nano
  payments: readonly BitcoinPayment[]
  /** What was kept of them at earlier looks. */
  known: readonly Arrival[]
  /** False once a payment that is not yet for good has lost the invoice's rate (RATE_KEPT_SECONDS). */
  isRateKept: boolean
  /** The gateway's own reckoning of all payments at the invoice's rate; see Observation. */
  toldNano: Nano | null
  /** Of this moment; null when none is known. */
  usdPerBitcoin: Decimal | null
}

export interface ValuedArrivals {
  /** New, or changed by this look. */
  arrivals: Arrival[]
  /** Some payment's worth takes the rate of this moment. */
  asksRate: boolean
  /** It took one and none was known: what is for good could not be counted. */
  isWaiting: boolean
}

/**
 * Fixes what each payment is worth, once: in time and up to twice the amount at the invoice's rate, all
 * else at the rate of its arrival. For a payment that was seen before it was for good this is the lower of
 * then and now, so that waiting with a payment on its way gains nobody anything.
 */
export function valueArrivals(input: ValueArrivalsInput): ValuedArrivals {
  const { payments, known, isRateKept, usdPerBitcoin: rate } = input
  const seenById = new Map(known.map(arrival => [arrival.paymentId, arrival]))
  const counted = known.filter(({ worthNano }) => worthNano !== null)
  const result: ValuedArrivals = { arrivals: [], asksRate: false, isWaiting: false }
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
    const restNano = arrival.atInvoiceRateNano - keptNano
    if (restNano > 0n) {
      result.asksRate = true
      if (rate === null) {
        result.isWaiting ||= payment.settled
        continue
      }
      arrival.usdPerBitcoin = seen?.usdPerBitcoin ? lower(seen.usdPerBitcoin, rate) : rate
    }
    if (payment.settled) {
      arrival.worthNano = keptNano + atRate(restNano, payment, arrival.usdPerBitcoin)
      counted.push(arrival)
    }
    result.arrivals.push(arrival)
  }
  return result
}

/** Of everything that is for good. */
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
 * A payment's part of the invoice. What is due is rounded up to a satoshi, and so is each payment: within
 * that, the gateway's own figures are meant, what was asked for or what it says was paid in all.
 */
function roundedPart(
  payment: BitcoinPayment,
  counted: readonly Arrival[],
  { amountNano, toldNano }: ValueArrivalsInput,
): Nano {
  const beforeNano = sum(counted.map(each => each.atInvoiceRateNano))
  const totalNano = beforeNano + payment.atInvoiceRateNano
  const toleranceNano = satoshiNano(payment) * BigInt(counted.length + 1)
  const figure = [amountNano, toldNano].find(
    each =>
      each !== null &&
      each > beforeNano &&
      each < totalNano + toleranceNano &&
      totalNano < each + toleranceNano,
  )
  return (figure ?? totalNano) - beforeNano
}

/** How much more of what comes in time the invoice's own rate holds for. */
function rateKeptForNano(counted: readonly Arrival[], { amountNano }: ValueArrivalsInput): Nano {
  const usedNano = sum(counted.filter(({ inTime }) => inTime).map(each => each.atInvoiceRateNano))
  return maxNano(0n, RATE_KEPT_TIMES * amountNano - usedNano)
}

/**
 * What a part of a payment, told at the invoice's rate, is worth at another. Rounded down; a difference of
 * less than a satoshi is none.
 */
function atRate(partNano: Nano, payment: BitcoinPayment, usdPerBitcoin: Decimal | null): Nano {
  if (partNano === 0n || usdPerBitcoin === null || payment.atInvoiceRateNano === 0n) return 0n
  const allNano = floorToNano(multiply(payment.bitcoin, usdPerBitcoin))
  const worthNano = (partNano * allNano) / payment.atInvoiceRateNano
  const differenceNano = maxNano(worthNano - partNano, partNano - worthNano)
  return differenceNano < satoshiNano(payment) ? partNano : worthNano
}

/** At the invoice's rate, rounded up. */
function satoshiNano({ atInvoiceRateNano, bitcoin }: BitcoinPayment): Nano {
  return (atInvoiceRateNano * 10n ** BigInt(bitcoin.scale)) / (bitcoin.coefficient * 10n ** 8n) + 1n
}

function sum(amounts: readonly Nano[]): Nano {
  return amounts.reduce((total, each) => total + each, 0n)
}

function lower(left: Decimal, right: Decimal): Decimal {
  return compare(left, right) < 0 ? left : right
}
