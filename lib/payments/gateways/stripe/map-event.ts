import 'server-only'
import type { WebhookNotice } from '../../domain/gateway'
import { centsToNano } from './convert-session-request'
import { mapDispute } from './map-session'
import {
  stripeChargeSchema,
  stripeDisputeSchema,
  stripeEventSchema,
  stripeSessionSchema,
} from './stripe-event-types'

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
