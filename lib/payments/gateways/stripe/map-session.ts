import 'server-only'
import { divideUp, type Nano } from '@/lib/money/nano'
import type { Dispute, Observation } from '../../domain/gateway'
import type { InvoiceState } from '../../domain/invoice-states'
import { centsToNano } from './convert-session-request'
import type { StripeCharge, StripeDispute, StripeRefund, StripeSession } from './stripe-api-types'

/** Early warnings and inquiries: the bank has not taken any money. */
const NOTHING_WITHDRAWN = ['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented']

/** What has happened according to a session, its charge, its refunds and its disputes. */
export function mapSession(input: {
  session: StripeSession
  charge: StripeCharge | null
  refunds: readonly StripeRefund[]
  disputes: readonly StripeDispute[]
  amountNano: Nano
}): Observation {
  const { session, charge, refunds, disputes } = input
  const sessionNano = session.payment_status === 'paid' ? amountPaid(session, input.amountNano) : 0n
  const partOf = (part: number) => (charge ? partTaken(sessionNano, part, charge.amount) : 0n)
  const failed = refunds.filter(({ status }) => status === 'failed' || status === 'canceled')
  // Totals only grow: a failed refund still counts as a refund, and its money counts as paid once more.
  const paidNano = sessionNano + partOf(sumOf(failed))
  return {
    state: mapState(session),
    paidNano,
    // An expired session cannot be paid.
    inTimeNano: paidNano,
    paidLate: false,
    bitcoinPayments: [],
    gatewayTotalNano: null,
    refundedNano: partOf(Math.max(charge?.amount_refunded ?? 0, sumOf(refunds))),
    disputes: disputes.flatMap(dispute => mapDispute(dispute, partOf(dispute.amount))),
  }
}

function sumOf(refunds: readonly StripeRefund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

/** None if nothing was withdrawn; amounts in currencies other than dollars are read from the session later. */
export function mapDispute(dispute: { id: string; status: string }, amountNano: Nano): Dispute[] {
  if (NOTHING_WITHDRAWN.includes(dispute.status) || amountNano <= 0n) return []
  const state = dispute.status === 'won' ? 'returned' : 'withdrawn'
  return [{ disputeId: dispute.id, amountNano, state }]
}

function mapState(session: StripeSession): InvoiceState {
  if (session.payment_status === 'paid') return 'Settled'
  if (session.status === 'expired') return 'Expired'
  if (session.status !== 'complete') return 'New'
  // A bank transfer is on its way, or has failed, in which case its payment needs another method.
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null
  const isFailed = intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
  return isFailed ? 'Invalid' : 'Processing'
}

/** A session is paid in full or not at all. If it is shown in another currency, it is worth what was requested. */
function amountPaid(session: StripeSession, amountNano: Nano): Nano {
  const { amount_total: cents } = session
  return session.currency === 'usd' && typeof cents === 'number' ? centsToNano(cents) : amountNano
}

/** The share of the dollars that corresponds to a part of the charge, whose currency may differ; rounded up. */
function partTaken(paidNano: Nano, part: number, whole: number): Nano {
  return whole > 0 ? divideUp(paidNano * BigInt(part), BigInt(whole)) : 0n
}
