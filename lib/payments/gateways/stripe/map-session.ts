import 'server-only'
import type { Stripe } from 'stripe'
import type { Nano } from '@/lib/money/nano'
import type { Dispute, Observation } from '../../domain/gateway'
import type { InvoiceState } from '../../domain/invoice-states'
import { centsToNano } from './convert-session-request'

/** Early warnings: the bank asks, and has taken nothing. */
const NOTHING_WITHDRAWN = ['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented']

/** What a session, the charge behind it, its refunds and its disputes say has happened. */
export function mapSession(input: {
  session: Stripe.Checkout.Session
  charge: Stripe.Charge | null
  refunds: readonly Stripe.Refund[]
  disputes: readonly Stripe.Dispute[]
  amountNano: Nano
}): Observation {
  const { session, charge, refunds, disputes } = input
  const sessionNano = session.payment_status === 'paid' ? amountPaid(session, input.amountNano) : 0n
  const partOf = (part: number) => (charge ? partTaken(sessionNano, part, charge.amount) : 0n)
  const failed = refunds.filter(({ status }) => status === 'failed' || status === 'canceled')
  // Totals only grow: a refund that failed stays one, and its money has come in once more.
  const paidNano = sessionNano + partOf(sumOf(failed))
  return {
    state: mapState(session),
    paidNano,
    // A session that has expired cannot be paid.
    inTimeNano: paidNano,
    paidLate: false,
    bitcoinPayments: [],
    toldNano: null,
    refundedNano: partOf(Math.max(charge?.amount_refunded ?? 0, sumOf(refunds))),
    disputes: disputes.flatMap(dispute => mapDispute(dispute, partOf(dispute.amount))),
  }
}

function sumOf(refunds: readonly Stripe.Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

/** Null where nothing was withdrawn; amounts in another currency than dollars wait for the session. */
export function mapDispute(dispute: { id: string; status: string }, amountNano: Nano): Dispute[] {
  if (NOTHING_WITHDRAWN.includes(dispute.status) || amountNano <= 0n) return []
  const state = dispute.status === 'won' ? 'returned' : 'withdrawn'
  return [{ disputeId: dispute.id, amountNano, state }]
}

function mapState(session: Stripe.Checkout.Session): InvoiceState {
  if (session.payment_status === 'paid') return 'Settled'
  if (session.status === 'expired') return 'Expired'
  if (session.status !== 'complete') return 'New'
  // A bank transfer on its way, or one that failed: then its payment wants another way to pay.
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null
  const isFailed = intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
  return isFailed ? 'Invalid' : 'Processing'
}

/** A session is paid in full or not at all; shown in another currency it is worth what was asked for. */
function amountPaid(session: Stripe.Checkout.Session, amountNano: Nano): Nano {
  return session.currency === 'usd' && session.amount_total !== null
    ? centsToNano(session.amount_total)
    : amountNano
}

/** The same part of the dollars as of the charge, whose currency may be another; rounded up. */
function partTaken(paidNano: Nano, part: number, whole: number): Nano {
  return whole > 0 ? (paidNano * BigInt(part) + BigInt(whole) - 1n) / BigInt(whole) : 0n
}
