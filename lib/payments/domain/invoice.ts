import { z } from 'zod'
import {
  wireAmountFound,
  wireCount,
  wireDecimal,
  wireDecimalAboveZero,
  wireFraction,
  wireText,
  wireTime,
} from '@/lib/host-mode/domain/values'
import { multiply } from '@/lib/money/decimal'
import { divideUp, floorToNano, maxNano, minNano, NANO_MAX, type Nano, nanoToDecimal } from '@/lib/money/nano'
import { isPayable } from './convert-amount'
import { bitcoinAddress, checkoutUrl, GATEWAYS, lightningInvoice } from './gateway'
import { INVOICE_STATES } from './invoice-states'
import { CURRENCIES, METHOD_IDS } from './payment-method'

const invoiceFields = z.object({
  /** Random: the payer may know it, and nobody can guess it. */
  invoiceId: z.uuid(),
  accountId: wireText,
  gatewayId: z.enum(GATEWAYS),
  gatewayInvoiceId: wireText,
  methodId: z.enum(METHOD_IDS),
  requestedAmount: wireDecimal,
  requestedCurrency: z.enum(CURRENCIES),
  /** The requested amount in dollars, at the rate when the invoice was created. */
  amountNano: wireAmountFound,
  bonusFraction: wireFraction,
  state: z.enum(INVOICE_STATES),
  paidLate: z.boolean(),
  /** The value of all final payments, each at the time it came. */
  paidNano: wireAmountFound,
  /** The part of `paidNano` that came while the invoice could be paid. */
  inTimeNano: wireAmountFound,
  /** The method's maximum when the invoice was created; crediting more needs the operator's approval. */
  maximumNano: wireAmountFound,
  approvedNano: wireAmountFound,
  /** The amount that is being credited, or has been. */
  claimedNano: wireAmountFound,
  /** The amount that the ledger has credited. */
  creditedNano: wireAmountFound,
  /** The bonus that is being credited on top, and the bonus that has been. */
  bonusClaimedNano: wireAmountFound,
  bonusNano: wireAmountFound,
  /** The total refunded, according to the gateway. Disputes have their own table. */
  refundSeenNano: wireAmountFound,
  /**
   * What is to be taken back of the credited amount and of its bonus, and what has been. Decreases only when a dispute
   * is won or a refund fails. The count numbers the steps.
   */
  reversalClaimedNano: wireAmountFound,
  reversedNano: wireAmountFound,
  reversalBonusClaimedNano: wireAmountFound,
  reversedBonusNano: wireAmountFound,
  reversalCount: wireCount,
  checkoutUrl: checkoutUrl.nullable(),
  lightningInvoice: lightningInvoice.nullable(),
  bitcoinAddress: bitcoinAddress.nullable(),
  bitcoinDue: wireDecimalAboveZero.nullable(),
  createdAt: wireTime,
  expiresAt: wireTime,
  /** When it was read, by the clock of the database, as the times above. A host of an older version does not tell. */
  readAt: wireTime.optional(),
})

/** `paidNano >= claimedNano >= creditedNano`: these totals only grow. */
export type Invoice = z.output<typeof invoiceFields>

/** Rejects an invoice whose totals are out of order, as the check in the database does. */
export const invoiceSchema = invoiceFields
  .refine(invoice => isPayable(invoice.requestedAmount, invoice.requestedCurrency), 'not payable')
  .refine(invoice => invoice.amountNano > 0n, 'over nothing')
  .refine(
    ({ creditedNano, claimedNano, paidNano }) => creditedNano <= claimedNano && claimedNano <= paidNano,
    'credited more than was paid',
  )
  .refine(invoice => invoice.claimedNano <= creditLimitNano(invoice), 'credited more than is allowed')
  .refine(({ inTimeNano, paidNano }) => inTimeNano <= paidNano, 'more in time than was paid')
  .refine(
    ({ reversedNano, reversalClaimedNano, creditedNano }) =>
      reversedNano <= creditedNano && reversalClaimedNano <= creditedNano,
    'took back more than was credited',
  )
  .refine(
    ({ reversedBonusNano, reversalBonusClaimedNano, bonusNano }) =>
      reversedBonusNano <= bonusNano && reversalBonusClaimedNano <= bonusNano,
    'took back more bonus than there was',
  )

/**
 * The invoice with the totals that people are shown. A Stripe session is paid in full or not at all: anything beyond
 * its amount came back through failed refunds. That is neither a second payment nor, any longer, a refund.
 */
export function withShownTotals(invoice: Invoice): Invoice {
  if (invoice.gatewayId !== 'stripe') return invoice
  const paidNano = minNano(invoice.paidNano, invoice.amountNano)
  const creditedNano = minNano(invoice.creditedNano, paidNano)
  const bonusNano =
    creditedNano < invoice.creditedNano
      ? (invoice.bonusNano * creditedNano) / invoice.creditedNano
      : invoice.bonusNano
  // A failed refund may be known by one half only, if it was first heard of after it had failed.
  const without = (nano: Nano, againNano: Nano) => maxNano(0n, nano - againNano)
  return {
    ...invoice,
    paidNano,
    creditedNano,
    bonusNano,
    refundSeenNano: without(invoice.refundSeenNano, invoice.paidNano - paidNano),
    reversedNano: without(invoice.reversedNano, invoice.creditedNano - creditedNano),
    reversedBonusNano: without(invoice.reversedBonusNano, invoice.bonusNano - bonusNano),
  }
}

export const ADDITIONAL_STATUSES = ['none', 'paid_partial', 'paid_late', 'paid_over', 'under_review'] as const
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number]

/**
 * Details that the state alone does not show. Most important to a payer is that something awaits the operator, then
 * lateness, which decides the rate, then underpayment, then overpayment.
 */
export function additionalStatus(
  invoice: Pick<
    Invoice,
    'amountNano' | 'paidNano' | 'paidLate' | 'refundSeenNano' | 'maximumNano' | 'approvedNano'
  >,
): AdditionalStatus {
  if (excessNano(invoice) > 0n) return 'under_review'
  if (invoice.paidLate && invoice.paidNano > 0n) return 'paid_late'
  if (invoice.paidNano > 0n && invoice.paidNano < invoice.amountNano) return 'paid_partial'
  return invoice.paidNano > invoice.amountNano ? 'paid_over' : 'none'
}

/** The most that may be credited: the method's maximum, plus what the operator has approved. */
function creditLimitNano({ maximumNano, approvedNano }: Pick<Invoice, 'maximumNano' | 'approvedNano'>): Nano {
  return maximumNano + approvedNano
}

/** What was paid beyond the limit and not refunded: it awaits the operator. */
export function excessNano(
  invoice: Pick<Invoice, 'paidNano' | 'refundSeenNano' | 'maximumNano' | 'approvedNano'>,
): Nano {
  return maxNano(0n, invoice.paidNano - invoice.refundSeenNano - creditLimitNano(invoice))
}

/** The totals after the next claim; null if there is nothing to claim. */
export function nextClaim(invoice: Invoice): Pick<Invoice, 'claimedNano' | 'bonusClaimedNano'> | null {
  const wantedNano = maxNano(invoice.claimedNano, minNano(invoice.paidNano, creditLimitNano(invoice)))
  // A transfer can carry no more than NANO_MAX; the rest is claimed afterwards.
  const claimedNano = minNano(wantedNano, invoice.claimedNano + NANO_MAX)
  const bonusClaimedNano = maxNano(invoice.bonusClaimedNano, bonusFor({ ...invoice, claimedNano }))
  const isNothing = claimedNano === invoice.claimedNano && bonusClaimedNano === invoice.bonusClaimedNano
  return isNothing ? null : { claimedNano, bonusClaimedNano }
}

/**
 * The operator's bonus on a payment: a fraction of what came in time, up to the method's maximum. It depends on totals
 * alone, so that the bonuses of parts add up to that of the whole.
 */
function bonusFor(
  invoice: Pick<Invoice, 'inTimeNano' | 'claimedNano' | 'maximumNano' | 'bonusFraction'>,
): Nano {
  const baseNano = minNano(minNano(invoice.inTimeNano, invoice.claimedNano), invoice.maximumNano)
  return floorToNano(multiply(nanoToDecimal(baseNano), invoice.bonusFraction))
}

/**
 * The totals after the next reversal, or after giving back what a won dispute or a failed refund returned; null if
 * there is nothing to do. A refund first reduces what was never credited. Refunds and disputes together take back at
 * most what was credited, and the same share of the bonus, rounded up, so that any number of partial refunds leaves
 * none of it behind.
 */
export function nextReversal(
  invoice: Invoice,
  disputedNano: Nano,
): Pick<Invoice, 'reversalClaimedNano' | 'reversalBonusClaimedNano'> | null {
  const { paidNano, creditedNano, reversedNano, bonusNano, reversedBonusNano } = invoice
  const beyondLimitNano = maxNano(0n, paidNano - creditLimitNano(invoice))
  const refundNano = maxNano(0n, minNano(invoice.refundSeenNano, paidNano) - beyondLimitNano)
  const wantedNano = minNano(creditedNano, refundNano + disputedNano)
  // A transfer can carry no more than NANO_MAX; the rest is the next step.
  const claimedNano = minNano(maxNano(wantedNano, reversedNano - NANO_MAX), reversedNano + NANO_MAX)
  const partNano = creditedNano === 0n ? 0n : divideUp(bonusNano * claimedNano, creditedNano)
  // A later credit without a bonus does not return any of the bonus; only returned money does.
  const bonusClaimedNano = claimedNano < reversedNano ? partNano : maxNano(reversedBonusNano, partNano)
  if (claimedNano === reversedNano && bonusClaimedNano === reversedBonusNano) return null
  return { reversalClaimedNano: claimedNano, reversalBonusClaimedNano: bonusClaimedNano }
}
