import { type Decimal, multiply } from '@/lib/money/decimal'
import { floorToNano, maxNano, minNano, NANO_MAX, type Nano, nanoToDecimal } from '@/lib/money/nano'
import type { GatewayId } from './gateway'
import type { InvoiceState } from './invoice-states'
import type { Currency, MethodId } from './payment-method'

/** `paidNano >= claimedNano >= creditedNano`: totals that only grow. */
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
  /** What everything that has arrived for good was worth when it came. */
  paidNano: Nano
  /** Of it, what came while the invoice could be paid. */
  inTimeNano: Nano
  /** The method's when the invoice was made: more is credited only where the operator approves it. */
  maximumNano: Nano
  approvedNano: Nano
  /** What is being credited, or was. */
  claimedNano: Nano
  /** What is in the ledger. */
  creditedNano: Nano
  /** What is being added on top by way of bonus, and what was. */
  bonusClaimedNano: Nano
  bonusNano: Nano
  /** What the gateway says was given back. Disputes are kept beside the invoice. */
  refundSeenNano: Nano
  /**
   * What is to be taken back of what was credited, and of the bonus on it; then what is. It shrinks only where
   * a dispute is won. The count names each step.
   */
  reversalClaimedNano: Nano
  reversedNano: Nano
  reversalBonusClaimedNano: Nano
  reversedBonusNano: Nano
  reversalCount: number
  checkoutUrl: string | null
  lightningInvoice: string | null
  bitcoinAddress: string | null
  bitcoinDue: Decimal | null
  createdAt: Date
  expiresAt: Date
}

export const ADDITIONAL_STATUSES = ['none', 'paid_partial', 'paid_late', 'paid_over', 'under_review'] as const
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number]

/**
 * What the state alone does not tell. That something waits for the operator matters most to a payer, then
 * the time, which decides the rate, then too little, then too much.
 */
export function additionalStatus(
  invoice: Pick<
    Invoice,
    'amountNano' | 'paidNano' | 'paidLate' | 'refundSeenNano' | 'maximumNano' | 'approvedNano'
  >,
): AdditionalStatus {
  if (restNano(invoice) > 0n) return 'under_review'
  if (invoice.paidLate && invoice.paidNano > 0n) return 'paid_late'
  if (invoice.paidNano > 0n && invoice.paidNano < invoice.amountNano) return 'paid_partial'
  return invoice.paidNano > invoice.amountNano ? 'paid_over' : 'none'
}

/** What may be credited: the method's maximum by itself, beyond it what the operator has approved. */
export function creditLimitNano({
  maximumNano,
  approvedNano,
}: Pick<Invoice, 'maximumNano' | 'approvedNano'>): Nano {
  return maximumNano + approvedNano
}

/** What arrived beyond the limit and was not given back: it waits for the operator. */
export function restNano(
  invoice: Pick<Invoice, 'paidNano' | 'refundSeenNano' | 'maximumNano' | 'approvedNano'>,
): Nano {
  return maxNano(0n, invoice.paidNano - invoice.refundSeenNano - creditLimitNano(invoice))
}

/** Totals that the next claim brings an invoice to; null when there is nothing to claim. */
export function nextClaim(invoice: Invoice): Pick<Invoice, 'claimedNano' | 'bonusClaimedNano'> | null {
  const wantedNano = maxNano(invoice.claimedNano, minNano(invoice.paidNano, creditLimitNano(invoice)))
  // No transfer carries more than that; the rest is claimed after it.
  const claimedNano = minNano(wantedNano, invoice.claimedNano + NANO_MAX)
  const bonusClaimedNano = maxNano(invoice.bonusClaimedNano, bonusFor({ ...invoice, claimedNano }))
  const isNothing = claimedNano === invoice.claimedNano && bonusClaimedNano === invoice.bonusClaimedNano
  return isNothing ? null : { claimedNano, bonusClaimedNano }
}

/**
 * What the operator adds to a payment: a part of what came in time, up to the method's maximum. A function
 * of totals, so that parts add up to the whole.
 */
export function bonusFor(
  invoice: Pick<Invoice, 'inTimeNano' | 'claimedNano' | 'maximumNano' | 'bonusFraction'>,
): Nano {
  const baseNano = minNano(minNano(invoice.inTimeNano, invoice.claimedNano), invoice.maximumNano)
  return floorToNano(multiply(nanoToDecimal(baseNano), invoice.bonusFraction))
}

/**
 * What the next step of taking back, or of giving back what a won dispute returned, brings an invoice to; null
 * when nothing is to be done. A refund goes first against what was never credited. Refunds and disputes
 * together take what was credited and no more, and the same part of the bonus, rounded up: parts, in whatever
 * number, leave nothing of it behind.
 */
export function nextReversal(
  invoice: Invoice,
  disputedNano: Nano,
): Pick<Invoice, 'reversalClaimedNano' | 'reversalBonusClaimedNano'> | null {
  const { paidNano, creditedNano, reversedNano, bonusNano, reversedBonusNano } = invoice
  const beyondLimitNano = maxNano(0n, paidNano - creditLimitNano(invoice))
  const refundNano = maxNano(0n, minNano(invoice.refundSeenNano, paidNano) - beyondLimitNano)
  const wantedNano = minNano(creditedNano, refundNano + disputedNano)
  // No transfer carries more than that; the rest is the step after it.
  const claimedNano = minNano(maxNano(wantedNano, reversedNano - NANO_MAX), reversedNano + NANO_MAX)
  const partNano = creditedNano === 0n ? 0n : divideUp(bonusNano * claimedNano, creditedNano)
  // That more was credited without a bonus gives none of the bonus back; only a dispute that was won does.
  const bonusClaimedNano =
    claimedNano < reversedNano ? minNano(reversedBonusNano, partNano) : maxNano(reversedBonusNano, partNano)
  if (claimedNano === reversedNano && bonusClaimedNano === reversedBonusNano) return null
  return { reversalClaimedNano: claimedNano, reversalBonusClaimedNano: bonusClaimedNano }
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
