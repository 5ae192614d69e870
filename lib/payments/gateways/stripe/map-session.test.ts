import { describe, expect, test } from '@jest/globals'
import type { Stripe } from 'stripe'
import { NANO_PER_USD } from '@/lib/money/nano'
import { mapDispute, mapSession } from './map-session'

const AMOUNT_NANO = 10n * NANO_PER_USD

interface Told {
  session: Partial<Stripe.Checkout.Session>
  intent: Partial<Stripe.PaymentIntent>
  charge: Partial<Stripe.Charge>
  refunds: Partial<Stripe.Refund>[]
}

/** What is observed of a session that was paid in yen, unless told otherwise. */
function observe({ session = {}, intent = {}, charge = {}, refunds = [] }: Partial<Told>) {
  const payment_intent = { status: 'succeeded', ...intent } as Stripe.PaymentIntent
  const paid = { payment_status: 'paid', status: 'complete', currency: 'jpy', amount_total: 1_550 } as const
  return mapSession({
    session: { ...paid, payment_intent, ...session } as Stripe.Checkout.Session,
    charge: { amount: 1_550, amount_refunded: 0, ...charge } as Stripe.Charge,
    refunds: refunds as Stripe.Refund[],
    disputes: [],
    amountNano: AMOUNT_NANO,
  })
}

describe('a session', () => {
  const unpaid = { payment_status: 'unpaid' } as const

  test('stays open after a card was declined, since its payer may take another', () => {
    const declined = { status: 'requires_payment_method' } as const
    expect(observe({ session: { ...unpaid, status: 'open' }, intent: declined }).state).toBe('New')
  })

  test('is settled once it is paid, and expired if it was not in time', () => {
    expect(observe({}).state).toBe('Settled')
    expect(observe({ session: { ...unpaid, status: 'expired' } })).toMatchObject({
      state: 'Expired',
      paidNano: 0n,
    })
  })

  test('is worth the dollars that were taken, and what was asked for if it was another currency', () => {
    const taken = { currency: 'usd', amount_total: 950 }
    expect(observe({ session: taken }).paidNano).toBe((AMOUNT_NANO * 95n) / 100n)
    expect(observe({ session: { ...taken, currency: 'jpy' } }).paidNano).toBe(AMOUNT_NANO)
  })

  test.each([
    ['processing', 'Processing'],
    ['requires_payment_method', 'Invalid'],
    ['canceled', 'Invalid'],
  ] as const)('that is complete and whose payment is %s is %s', (status, state) => {
    expect(observe({ session: unpaid, intent: { status } })).toMatchObject({ state, paidNano: 0n })
  })
})

describe('a refund', () => {
  test('takes its share of the dollars, rounded up', () => {
    const refunds = [{ amount: 1, status: 'succeeded' as const }]
    expect(observe({ charge: { amount_refunded: 1 }, refunds })).toMatchObject({
      paidNano: AMOUNT_NANO,
      refundedNano: 6_451_613n,
    })
  })

  test('counts by the total of its charge, however few refunds are listed', () => {
    const refunds = [{ amount: 155, status: 'succeeded' as const }]
    expect(observe({ charge: { amount_refunded: 775 }, refunds }).refundedNano).toBe(AMOUNT_NANO / 2n)
  })

  test.each(['failed', 'canceled'])('whose status is %s counts as paid once more', status => {
    const refunds = [{ amount: 775, status }]
    expect(observe({ refunds })).toMatchObject({
      paidNano: (AMOUNT_NANO * 3n) / 2n,
      refundedNano: AMOUNT_NANO / 2n,
    })
  })

  test('of a charge of nothing takes nothing', () => {
    expect(observe({ charge: { amount: 0, amount_refunded: 5 } }).refundedNano).toBe(0n)
  })
})

describe('a dispute', () => {
  test.each(['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented'])(
    'that is %s takes nothing',
    status => expect(mapDispute({ id: 'du_1', status }, 5n)).toEqual([]),
  )

  test.each(['needs_response', 'under_review', 'lost'])('that is %s takes its amount', status => {
    const withdrawn = { disputeId: 'du_1', amountNano: 5n, state: 'withdrawn' }
    expect(mapDispute({ id: 'du_1', status }, 5n)).toEqual([withdrawn])
  })

  test('whose dollars are not known yet is left for later', () => {
    expect(mapDispute({ id: 'du_1', status: 'lost' }, 0n)).toEqual([])
  })
})
