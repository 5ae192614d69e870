/** BTCPay Server's names, which clients of PayPerQ's API know. */
export const INVOICE_STATES = ['New', 'Processing', 'Expired', 'Invalid', 'Settled'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/**
 * Which states may follow each. This is a total order, so that the same events lead to the same state in whatever order
 * they arrive. Expired and Invalid are not final, because money can still arrive; Settled is.
 */
const TRANSITIONS: Readonly<Record<InvoiceState, readonly InvoiceState[]>> = {
  New: ['Processing', 'Expired', 'Invalid', 'Settled'],
  Processing: ['Expired', 'Invalid', 'Settled'],
  Expired: ['Invalid', 'Settled'],
  Invalid: ['Settled'],
  Settled: [],
}

/**
 * Every state that may become `next`: the condition of the update. Late or repeated events that the table does not
 * allow change nothing.
 */
export function statesBefore(next: InvoiceState): InvoiceState[] {
  return INVOICE_STATES.filter(state => TRANSITIONS[state].includes(next))
}
