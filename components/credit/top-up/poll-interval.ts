import type { InvoiceState } from './invoice'

/** Lightning settles within a second or two; a status read is cheap. */
const OPEN_INTERVAL_MS = 2000
/** Money can still arrive after the time is over, but rarely. */
const EXPIRED_INTERVAL_MS = 15_000

/** How soon to ask again; 0 for an invoice that can tell no more. */
export function pollIntervalMs(state: InvoiceState | undefined): number {
  if (state === 'Settled') return 0
  return state === 'Expired' || state === 'Invalid' ? EXPIRED_INTERVAL_MS : OPEN_INTERVAL_MS
}
