import 'server-only'
import type { Stripe } from 'stripe'
import { z } from 'zod'
import type { WebhookNotice } from '../../domain/gateway'
import { centsToNano } from './convert-session-request'
import { mapDispute } from './map-session'
import { stripeAmount as amount, stripeId as id, idOf, stripeReference } from './stripe-api-types'

/** What we read of Stripe's events, which are only accepted in the shape of its API reference although they are signed. */

const reference = stripeReference.transform(idOf)

const stripeEventSchema = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) })

const stripeChargeSchema = z.object({
  amount_refunded: amount,
  currency: z.string(),
  payment_intent: reference,
})

const stripeRefundSchema = z.object({ payment_intent: reference })

const stripeDisputeSchema = z.object({
  id,
  amount,
  currency: z.string(),
  payment_intent: reference,
  status: z.string(),
})

/** Stripe's own default; older deliveries are treated as replays. */
const TOLERANCE_SECONDS = 300

/**
 * Verifies a delivery and returns its event, whatever its shape; null if the signature is wrong, missing or too old.
 * Stripe's library throws various errors for a malformed header or body: whatever it throws, the delivery is unproven.
 */
export function verifyEvent(input: {
  stripe: Stripe
  rawBody: Uint8Array
  signature: string | null
  secret: string
  now: Date
}): unknown {
  if (input.secret === '' || !input.signature) return null
  try {
    return input.stripe.webhooks.constructEvent(
      Buffer.from(input.rawBody),
      input.signature,
      input.secret,
      TOLERANCE_SECONDS,
      undefined,
      input.now.getTime(),
    )
  } catch {
    return null
  }
}

/** What a verified event is about: a session by its id, or a payment whose session has to be looked up. */
export interface EventSubject {
  sessionId: string | null
  paymentIntentId: string | null
  totals: WebhookNotice['totals']
}

const NOTHING: EventSubject = { sessionId: null, paymentIntentId: null, totals: null }

/** Events of other kinds, or in an unexpected shape, are about nothing. */
export function mapEvent(event: unknown): EventSubject {
  const parsed = stripeEventSchema.safeParse(event)
  if (!parsed.success) return NOTHING
  const { type, data } = parsed.data
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return mapSessionEvent(data.object)
    case 'charge.refunded':
      return mapRefund(data.object)
    case 'charge.refund.updated':
    case 'refund.updated':
    case 'refund.failed':
      return mapRefundChange(data.object)
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return mapDisputeEvent(data.object)
    default:
      return NOTHING
  }
}

function mapSessionEvent(object: unknown): EventSubject {
  const session = z.object({ id }).safeParse(object)
  return session.success ? { ...NOTHING, sessionId: session.data.id } : NOTHING
}

function mapRefund(object: unknown): EventSubject {
  const charge = stripeChargeSchema.safeParse(object)
  if (!charge.success) return NOTHING
  const { amount_refunded, currency, payment_intent } = charge.data
  const refundedNano = currency === 'usd' ? centsToNano(amount_refunded) : 0n
  return { ...NOTHING, paymentIntentId: payment_intent, totals: { refundedNano, disputes: [] } }
}

/** The charge tells whether the refund failed, and what else was refunded. */
function mapRefundChange(object: unknown): EventSubject {
  const refund = stripeRefundSchema.safeParse(object)
  return refund.success ? { ...NOTHING, paymentIntentId: refund.data.payment_intent } : NOTHING
}

function mapDisputeEvent(object: unknown): EventSubject {
  const dispute = stripeDisputeSchema.safeParse(object)
  if (!dispute.success) return NOTHING
  const { amount, currency, payment_intent } = dispute.data
  const amountNano = currency === 'usd' ? centsToNano(amount) : 0n
  return {
    ...NOTHING,
    paymentIntentId: payment_intent,
    totals: { refundedNano: 0n, disputes: mapDispute(dispute.data, amountNano) },
  }
}
