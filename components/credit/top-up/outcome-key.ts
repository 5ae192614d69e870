import type { Invoice } from './invoice'

export type OutcomeKey =
  | 'waiting'
  | 'seen'
  | 'credited'
  | 'creditedLate'
  | 'creditedOver'
  | 'partial'
  | 'partialExpired'
  | 'expired'
  | 'invalid'

/** Which of the honest sentences fits an invoice: its state, and how the money came. */
export function outcomeKey({
  state,
  additionalStatus,
}: Pick<Invoice, 'state' | 'additionalStatus'>): OutcomeKey {
  if (state === 'Settled') {
    if (additionalStatus === 'paid_late') return 'creditedLate'
    return additionalStatus === 'paid_over' ? 'creditedOver' : 'credited'
  }
  if (additionalStatus === 'paid_partial') return state === 'Expired' ? 'partialExpired' : 'partial'
  if (state === 'Expired') return 'expired'
  if (state === 'Invalid') return 'invalid'
  return state === 'Processing' ? 'seen' : 'waiting'
}
