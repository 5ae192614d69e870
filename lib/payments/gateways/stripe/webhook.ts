import 'server-only'
import type { Stripe } from 'stripe'
import { z } from 'zod'
import type { WebhookNotice } from '../../domain/gateway'
import { centsToNano } from './convert-session-request'
import { mapDispute } from './map-session'

/**
 * What we read of Stripe's events. They are signed, and still only believed in the shape that its API
 * reference gives them.
 */

/** Stripe takes eight digits of a currency's smallest unit; beyond these, an amount is none. */
const AMOUNT_MAX = 99_999_999_999
const amount = z.int().min(0).max(AMOUNT_MAX)
/** As all of Stripe's ids: they are put into its API's addresses. */
const id = z.string().regex(/^\w{1,255}$/)
/** An id, or the object itself where it was expanded. */
const reference = z.union([id, z.object({ id }).transform(object => object.id)]).nullish()

const stripeEventSchema = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) })

const stripeSessionSchema = z.object({ id })

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

/** Stripe's own default: older deliveries are taken for replays. */
const TOLERANCE_SECONDS = 300

/**
 * The event in a signed delivery, of whatever shape; null when its signature is wrong, missing or too old.
 * Stripe's library throws errors of several kinds at a header that is none of Stripe's, and at a body that
 * is no event: whatever it throws, nothing was proven.
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
  told: WebhookNotice['told']
}

const NOTHING: EventSubject = { sessionId: null, paymentIntentId: null, told: null }

/** Events of other kinds, or in another shape than Stripe's, are about nothing. */
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
  const session = stripeSessionSchema.safeParse(object)
  return session.success ? { ...NOTHING, sessionId: session.data.id } : NOTHING
}

function mapRefund(object: unknown): EventSubject {
  const charge = stripeChargeSchema.safeParse(object)
  if (!charge.success) return NOTHING
  const { amount_refunded, currency, payment_intent } = charge.data
  const refundedNano = currency === 'usd' ? centsToNano(amount_refunded) : 0n
  return { ...NOTHING, paymentIntentId: payment_intent ?? null, told: { refundedNano, disputes: [] } }
}

/** Whether it failed, and what else was refunded, the charge tells. */
function mapRefundChange(object: unknown): EventSubject {
  const refund = stripeRefundSchema.safeParse(object)
  return refund.success ? { ...NOTHING, paymentIntentId: refund.data.payment_intent ?? null } : NOTHING
}

function mapDisputeEvent(object: unknown): EventSubject {
  const dispute = stripeDisputeSchema.safeParse(object)
  if (!dispute.success) return NOTHING
  const { amount, currency, payment_intent } = dispute.data
  const amountNano = currency === 'usd' ? centsToNano(amount) : 0n
  return {
    ...NOTHING,
    paymentIntentId: payment_intent ?? null,
    told: { refundedNano: 0n, disputes: mapDispute(dispute.data, amountNano) },
  }
}
