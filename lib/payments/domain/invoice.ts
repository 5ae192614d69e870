import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import type { GatewayId, Observation } from './gateway'
import type { InvoiceState } from './invoice-states'
import type { Currency, MethodId } from './payment-method'

/** `amountNano >= paidNano >= claimedNano >= creditedNano` but for over-payments; all are totals that only grow. */
export interface Invoice {
  /** Random: whoever pays may know it, nobody can guess it. */
  invoiceId: string
  accountId: string
  gatewayId: GatewayId
  gatewayInvoiceId: string
  methodId: MethodId
  requestedAmount: Decimal
  requestedCurrency: Currency
  /** What was asked for, in dollars at the rate of the invoice's creation. */
  amountNano: Nano
  bonusFraction: Decimal
  state: InvoiceState
  paidLate: boolean
  /** What the gateway says has arrived. */
  paidNano: Nano
  /** What is being credited, or was. */
  claimedNano: Nano
  /** What is in the ledger. */
  creditedNano: Nano
  /** What was added on top by way of bonus. */
  bonusNano: Nano
  /** What the gateway says was given back; then what is being taken back, and what was. */
  refundSeenNano: Nano
  refundClaimedNano: Nano
  refundedNano: Nano
  checkoutUrl: string | null
  lightningInvoice: string | null
  bitcoinAddress: string | null
  bitcoinDue: Decimal | null
  createdAt: Date
  expiresAt: Date
}

export type AdditionalStatus = 'none' | 'paid_partial' | 'paid_late' | 'paid_over'

/** What the state alone does not tell. Too little matters most to a payer, then the time, then too much. */
export function additionalStatus(
  invoice: Pick<Invoice, 'amountNano' | 'paidNano' | 'paidLate'>,
): AdditionalStatus {
  if (invoice.paidNano > 0n && invoice.paidNano < invoice.amountNano) return 'paid_partial'
  if (invoice.paidLate) return 'paid_late'
  return invoice.paidNano > invoice.amountNano ? 'paid_over' : 'none'
}

/** Money in full settles an invoice, whatever its gateway still calls it: "Expired, paid late" is Settled here. */
export function observedState(
  observation: Pick<Observation, 'state' | 'paidNano'>,
  amountNano: Nano,
): InvoiceState {
  return observation.paidNano >= amountNano ? 'Settled' : observation.state
}
