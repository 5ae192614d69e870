import 'server-only'
import type { Stripe } from 'stripe'
import type { WebhookNotice } from '../../domain/gateway'
import { centsToNano } from './convert-session-request'
import { mapDispute } from './map-session'

/** What a verified event is about: a session by its id, or a payment whose session has to be looked up. */
export interface EventSubject {
  sessionId: string | null
  paymentIntentId: string | null
  told: WebhookNotice['told']
}

const NOTHING: EventSubject = { sessionId: null, paymentIntentId: null, told: null }

export function mapEvent(event: Stripe.Event): EventSubject {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return { ...NOTHING, sessionId: event.data.object.id }
    case 'charge.refunded': {
      const charge = event.data.object
      const refundedNano = charge.currency === 'usd' ? centsToNano(charge.amount_refunded) : 0n
      return {
        ...NOTHING,
        paymentIntentId: idOf(charge.payment_intent),
        told: { refundedNano, disputes: [] },
      }
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed': {
      const dispute = event.data.object
      const amountNano = dispute.currency === 'usd' ? centsToNano(dispute.amount) : 0n
      return {
        ...NOTHING,
        paymentIntentId: idOf(dispute.payment_intent),
        told: { refundedNano: 0n, disputes: mapDispute(dispute, amountNano) },
      }
    }
    default:
      return NOTHING
  }
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
