import type { Invoice } from './invoice'

export type OutcomeKey =
  | 'waiting'
  | 'seen'
  | 'credited'
  | 'creditedLate'
  | 'creditedOver'
  | 'underReview'
  | 'partial'
  | 'partialExpired'
  | 'expired'
  | 'invalid'

/** Which of the honest sentences fits an invoice: its state, and how the money came. */
export function outcomeKey({
  state,
  additionalStatus,
}: Pick<Invoice, 'state' | 'additionalStatus'>): OutcomeKey {
  if (additionalStatus === 'under_review') return 'underReview'
  // At another rate than the invoice's, what came late may be all that was asked for, and less in dollars.
  if (additionalStatus === 'paid_late' && (state === 'Settled' || state === 'Expired')) return 'creditedLate'
  if (state === 'Settled') {
    return additionalStatus === 'paid_over' ? 'creditedOver' : 'credited'
  }
  if (additionalStatus === 'paid_partial') return state === 'Expired' ? 'partialExpired' : 'partial'
  if (state === 'Expired') return 'expired'
  if (state === 'Invalid') return 'invalid'
  return state === 'Processing' ? 'seen' : 'waiting'
}
