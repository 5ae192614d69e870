/** BTCPay Server's names; clients of PayPerQ's API know them. */
export const INVOICE_STATES = ['New', 'Processing', 'Expired', 'Invalid', 'Settled'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/**
 * Which state may follow which. A total order read as a table: whatever order a gateway's news arrives
 * in, the same news end in the same state. Expired and Invalid are no ends, because money can still
 * arrive; Settled is.
 */
const TRANSITIONS: Readonly<Record<InvoiceState, readonly InvoiceState[]>> = {
  New: ['Processing', 'Expired', 'Invalid', 'Settled'],
  Processing: ['Expired', 'Invalid', 'Settled'],
  Expired: ['Invalid', 'Settled'],
  Invalid: ['Settled'],
  Settled: [],
}

/**
 * Every state that may become `next`: the guard of the conditional update. Late or repeated news that the table
 * does not allow change nothing.
 */
export function statesBefore(next: InvoiceState): InvoiceState[] {
  return INVOICE_STATES.filter(state => TRANSITIONS[state].includes(next))
}
