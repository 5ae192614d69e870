import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, maxNano, NANO_PER_USD, type Nano } from '@/lib/money/nano'
import { type Arrival, totalsOf, valueArrivals } from './arrivals'
import { satoshisToBitcoin, toSatoshisUp } from './convert-amount'
import type { BitcoinPayment } from './gateway'

const INVOICE_RATE = dollars(100_000n)
/** Rates are whole dollars here, so that a satoshi is worth a whole number of nano-dollars. */
const SATOSHI_NANO = floorToNano(multiply(satoshisToBitcoin(1n), INVOICE_RATE))

function dollars(amount: bigint): Decimal {
  return { coefficient: amount, scale: 0 }
}

function payment(paymentId: string, satoshis: bigint, seen: Partial<BitcoinPayment> = {}): BitcoinPayment {
  const bitcoin = satoshisToBitcoin(satoshis)
  const atInvoiceRateNano = floorToNano(multiply(bitcoin, INVOICE_RATE))
  return { paymentId, bitcoin, atInvoiceRateNano, receivedInTime: true, settled: true, ...seen }
}

/** A few payments and a series of checks at changing rates. */
const life = fc.record({
  amountNano: fc.bigInt({ min: 10n, max: 100_000n }).map(cents => (cents * NANO_PER_USD) / 100n),
  payments: fc.array(
    fc.record({
      satoshis: fc.bigInt({ min: 1n, max: 300_000_000n }),
      receivedInTime: fc.boolean(),
      firstSeenAt: fc.nat(4),
      settledAfter: fc.nat(3),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  looks: fc.array(
    fc.record({
      rate: fc.option(fc.bigInt({ min: 10_000n, max: 300_000n }).map(dollars)),
      isRateKept: fc.boolean(),
    }),
    { minLength: 8, maxLength: 8 },
  ),
})

describe('the dollar value of arriving bitcoin', () => {
  test('is bounded by the rates at its checks and, for timely payments, the invoice’s rate up to twice its amount', () => {
    fc.assert(
      fc.property(life, ({ amountNano, payments, looks }) => {
        const known = new Map<string, Arrival>()
        const boundNano = new Map<string, Nano>()
        looks.forEach(({ rate, isRateKept }, index) => {
          const listed = payments.flatMap(
            ({ satoshis, receivedInTime, firstSeenAt, settledAfter }, number) =>
              firstSeenAt > index
                ? []
                : [
                    payment(String(number), satoshis, {
                      receivedInTime,
                      settled: firstSeenAt + settledAfter <= index,
                    }),
                  ],
          )
          const input = {
            amountNano,
            payments: listed,
            isRateKept,
            gatewayTotalNano: null,
            usdPerBitcoin: rate,
          }
          const { arrivals } = valueArrivals({ ...input, known: [...known.values()] })
          for (const arrival of arrivals) {
            expect(known.get(arrival.paymentId)?.worthNano ?? null).toBeNull()
            known.set(arrival.paymentId, arrival)
            const atRateNano = rate && floorToNano(multiply(arrival.bitcoin, rate))
            const invoiceNano = arrival.inTime ? arrival.atInvoiceRateNano : 0n
            boundNano.set(arrival.paymentId, maxNano(atRateNano ?? 0n, invoiceNano))
          }
        })
        const roundingNano = SATOSHI_NANO * BigInt(payments.length * payments.length)
        for (const { paymentId, worthNano } of known.values())
          expect(worthNano ?? 0n).toBeLessThanOrEqual((boundNano.get(paymentId) ?? 0n) + roundingNano)
      }),
    )
  })

  test('is exactly the invoice’s amount when paid in full, whatever was rounded to a satoshi', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10n, max: 1_000_000n }),
        fc.bigInt({ min: 10_000n, max: 300_000n }),
        (cents, rate) => {
          const amountNano = (cents * NANO_PER_USD) / 100n
          const bitcoin = satoshisToBitcoin(toSatoshisUp(amountNano, dollars(rate)))
          const atInvoiceRateNano = floorToNano(multiply(bitcoin, dollars(rate)))
          const paid = { paymentId: 'one', bitcoin, atInvoiceRateNano, receivedInTime: true, settled: true }
          const input = { amountNano, known: [], isRateKept: true, gatewayTotalNano: null }
          const inTime = valueArrivals({ ...input, payments: [paid], usdPerBitcoin: null })
          expect(totalsOf(inTime.arrivals)).toEqual({
            paidNano: amountNano,
            inTimeNano: amountNano,
            paidLate: false,
          })
          const late = { ...paid, receivedInTime: false }
          const afterwards = valueArrivals({ ...input, payments: [late], usdPerBitcoin: dollars(rate) })
          expect(totalsOf(afterwards.arrivals)).toEqual({
            paidNano: amountNano,
            inTimeNano: 0n,
            paidLate: true,
          })
        },
      ),
    )
  })

  /** Of an invoice over a hundred dollars, which are a hundred thousand satoshis. */
  const hear = (
    payments: BitcoinPayment[],
    known: Arrival[] = [],
    rate: Decimal | null = dollars(50_000n),
    isRateKept = true,
  ) =>
    valueArrivals({
      amountNano: 100n * NANO_PER_USD,
      payments,
      known,
      isRateKept,
      gatewayTotalNano: null,
      usdPerBitcoin: rate,
    })

  test('is that of the invoice for what came in time, however much came late before it was final', () => {
    const late = payment('late', 200_000n, { receivedInTime: false })
    const { arrivals } = hear([late])
    expect(totalsOf(arrivals).paidNano).toBe(100n * NANO_PER_USD)
    const after = hear([late, payment('in time', 100_000n)], arrivals)
    expect(totalsOf(after.arrivals)).toEqual({
      paidNano: 100n * NANO_PER_USD,
      inTimeNano: 100n * NANO_PER_USD,
      paidLate: false,
    })
  })

  test('is that of the invoice up to twice its amount, and of the current rate beyond, however it is split', () => {
    const inTimeNano = (payments: BitcoinPayment[]) => totalsOf(hear(payments).arrivals).inTimeNano
    expect(inTimeNano([payment('all', 300_000n)])).toBe(250n * NANO_PER_USD)
    expect(inTimeNano([payment('first', 200_000n), payment('second', 100_000n)])).toBe(250n * NANO_PER_USD)
  })

  test('is that of the current rate once the invoice’s is no longer kept, as of a late payment', () => {
    const { arrivals } = hear([payment('slow', 100_000n)], [], dollars(200_000n), false)
    expect(totalsOf(arrivals)).toEqual({ paidNano: 200n * NANO_PER_USD, inTimeNano: 0n, paidLate: true })
  })

  test.each([
    [50_000n, 80_000n],
    [80_000n, 50_000n],
  ])('is the lower of the rates when it was seen (%s) and when it was final (%s)', (before, after) => {
    const late = payment('late', 100_000n, { receivedInTime: false, settled: false })
    const seen = hear([late], [], dollars(before)).arrivals
    expect(totalsOf(seen)).toEqual({ paidNano: 0n, inTimeNano: 0n, paidLate: false })
    const final = hear([{ ...late, settled: true }], seen, dollars(after)).arrivals
    expect(totalsOf(final).paidNano).toBe(50n * NANO_PER_USD)
    expect(hear([{ ...late, settled: true }], final, dollars(1n)).arrivals).toEqual([])
  })

  test('is not asked for before a payment that came in time is final', () => {
    const seen = hear([payment('seen', 300_000n, { settled: false })])
    expect(seen).toEqual({ arrivals: [], needsRate: false, isWaiting: false })
  })

  test('is above zero for a single satoshi after the whole amount', () => {
    const whole = payment('whole', 100_000n)
    const { arrivals } = hear([whole])
    const after = hear([whole, payment('satoshi', 1n)], arrivals)
    expect(after.arrivals.map(({ worthNano }) => worthNano)).toEqual([SATOSHI_NANO])
  })

  test('is waited for only once a payment is final', () => {
    const late = payment('late', 100_000n, { receivedInTime: false, settled: false })
    expect(hear([late], [], null)).toMatchObject({ arrivals: [], needsRate: true, isWaiting: false })
    expect(hear([{ ...late, settled: true }], [], null)).toMatchObject({ arrivals: [], isWaiting: true })
  })

  test('counts a payment once, however often it is listed', () => {
    const twice = [payment('one', 100_000n), payment('one', 100_000n)]
    const input = { amountNano: 100n * NANO_PER_USD, known: [], isRateKept: true, gatewayTotalNano: null }
    const { arrivals } = valueArrivals({ ...input, payments: twice, usdPerBitcoin: null })
    expect(totalsOf(arrivals).paidNano).toBe(100n * NANO_PER_USD)
  })
})
