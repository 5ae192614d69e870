import { expect, test } from '@jest/globals'
import { Stripe } from 'stripe'
import { mapEvent, verifyEvent } from './webhook'

const NOTHING = { sessionId: null, paymentIntentId: null, totals: null }
const about = (type: string, object: object) => mapEvent({ type, data: { object } })

test('the age of a delivery is judged by the given clock', () => {
  const stripe = new Stripe('sk_test_1')
  const [rawBody, secret, at] = ['{"type":"any"}', 'whsec_1', 1_000_000_000]
  const signature = stripe.webhooks.generateTestHeaderString({ payload: rawBody, secret, timestamp: at })
  const verifyAfter = (seconds: number) =>
    verifyEvent({
      stripe,
      rawBody: Buffer.from(rawBody),
      signature,
      secret,
      now: new Date((at + seconds) * 1000),
    })
  expect(verifyAfter(300)).toEqual({ type: 'any' })
  expect(verifyAfter(301)).toBeNull()
})

test.each(['checkout.session.completed', 'checkout.session.expired'])('a %s is about its session', type => {
  expect(about(type, { id: 'cs_1' })).toEqual({ ...NOTHING, sessionId: 'cs_1' })
})

test.each(['created', 'updated', 'funds_withdrawn', 'funds_reinstated', 'closed'])(
  'a charge.dispute.%s tells what a bank took',
  kind => {
    const dispute = { id: 'du_1', amount: 250, currency: 'usd', payment_intent: 'pi_1', status: 'lost' }
    const disputes = [{ disputeId: 'du_1', amountNano: 2_500_000_000n, state: 'withdrawn' }]
    expect(about(`charge.dispute.${kind}`, dispute)).toEqual({
      ...NOTHING,
      paymentIntentId: 'pi_1',
      totals: { refundedNano: 0n, disputes },
    })
  },
)

test('a payment is found where the event holds all of it', () => {
  expect(about('refund.updated', { payment_intent: { id: 'pi_1' } })).toEqual({
    ...NOTHING,
    paymentIntentId: 'pi_1',
  })
})

test.each([-1, 1.5, 100_000_000_000])('an amount of %p cents is none', amount_refunded => {
  expect(about('charge.refunded', { amount_refunded, currency: 'usd', payment_intent: 'pi_1' })).toEqual(
    NOTHING,
  )
})

test.each(['', '../refunds', 'cs_1?expand=all', 'c'.repeat(256), 7, undefined])(
  'no object has the id %j',
  id => {
    expect(about('checkout.session.completed', { id })).toEqual(NOTHING)
    expect(about('refund.updated', { payment_intent: { id } })).toEqual(NOTHING)
    const dispute = { id, amount: 250, currency: 'usd', payment_intent: 'pi_1', status: 'lost' }
    expect(about('charge.dispute.closed', dispute)).toEqual(NOTHING)
  },
)

test.each([null, 'text', {}, { type: 'charge.refunded' }])(
  'an event in another shape is about nothing: %j',
  event => {
    expect(mapEvent(event)).toEqual(NOTHING)
  },
)
