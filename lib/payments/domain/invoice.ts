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
import { GATEWAYS } from './gateway'
import { INVOICE_STATES } from './invoice-states'
import { CURRENCIES, METHOD_IDS } from './payment-method'

const checkoutUrl = z.url({ protocol: /^https?$/ }).max(4_000)

/** BOLT11 and addresses are put into `lightning:` and `bitcoin:` links: letters and digits alone. */
const lightningInvoice = z.string().regex(/^ln[a-z0-9]{1,8000}$/i)
const bitcoinAddress = z.string().regex(/^[a-z0-9]{10,120}$/i)

const invoiceFields = z.object({
  /** Random: whoever pays may know it, nobody can guess it. */
  invoiceId: z.uuid(),
  accountId: wireText,
  gatewayId: z.enum(GATEWAYS),
  gatewayInvoiceId: wireText,
  methodId: z.enum(METHOD_IDS),
  requestedAmount: wireDecimal,
  requestedCurrency: z.enum(CURRENCIES),
  /** What was asked for, in dollars at the rate of the invoice's creation. */
  amountNano: wireAmountFound,
  bonusFraction: wireFraction,
  state: z.enum(INVOICE_STATES),
  paidLate: z.boolean(),
  /** What everything that has arrived for good was worth when it came. */
  paidNano: wireAmountFound,
  /** Of it, what came while the invoice could be paid. */
  inTimeNano: wireAmountFound,
  /** The method's when the invoice was made: more is credited only where the operator approves it. */
  maximumNano: wireAmountFound,
  approvedNano: wireAmountFound,
  /** What is being credited, or was. */
  claimedNano: wireAmountFound,
  /** What is in the ledger. */
  creditedNano: wireAmountFound,
  /** What is being added on top by way of bonus, and what was. */
  bonusClaimedNano: wireAmountFound,
  bonusNano: wireAmountFound,
  /** What the gateway says was given back. Disputes are kept beside the invoice. */
  refundSeenNano: wireAmountFound,
  /**
   * What is to be taken back of what was credited, and of the bonus on it; then what is. It shrinks only where
   * a dispute is won or a refund fails. The count names each step.
   */
  reversalClaimedNano: wireAmountFound,
  reversedNano: wireAmountFound,
  reversalBonusClaimedNano: wireAmountFound,
  reversedBonusNano: wireAmountFound,
  reversalCount: wireCount,
  /** A page leads there: never anything but a site. */
  checkoutUrl: checkoutUrl.nullable(),
  lightningInvoice: lightningInvoice.nullable(),
  bitcoinAddress: bitcoinAddress.nullable(),
  bitcoinDue: wireDecimalAboveZero.nullable(),
  createdAt: wireTime,
  expiresAt: wireTime,
})

/** `paidNano >= claimedNano >= creditedNano`: totals that only grow. */
export type Invoice = z.output<typeof invoiceFields>

/** An invoice is believed only if it keeps the order of its totals, as the check in the database does. */
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
 * The invoice with the totals that a person is told. Stripe's sessions are paid whole or not at all: what came in
 * beyond one came back, by refunds that failed. It is neither a second payment nor, any more, a refund.
 */
export function asTold(invoice: Invoice): Invoice {
  if (invoice.gatewayId !== 'stripe') return invoice
  const paidNano = minNano(invoice.paidNano, invoice.amountNano)
  const creditedNano = minNano(invoice.creditedNano, paidNano)
  const bonusNano =
    creditedNano < invoice.creditedNano
      ? (invoice.bonusNano * creditedNano) / invoice.creditedNano
      : invoice.bonusNano
  // Both halves may not be known yet: a refund that is heard of when it has failed already.
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
function creditLimitNano({ maximumNano, approvedNano }: Pick<Invoice, 'maximumNano' | 'approvedNano'>): Nano {
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
function bonusFor(
  invoice: Pick<Invoice, 'inTimeNano' | 'claimedNano' | 'maximumNano' | 'bonusFraction'>,
): Nano {
  const baseNano = minNano(minNano(invoice.inTimeNano, invoice.claimedNano), invoice.maximumNano)
  return floorToNano(multiply(nanoToDecimal(baseNano), invoice.bonusFraction))
}

/**
 * What the next step of taking back, or of giving back what a won dispute or a failed refund returned, brings an
 * invoice to; null when nothing is to be done. A refund goes first against what was never credited. Refunds and disputes
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
  // That more was credited without a bonus gives none of the bonus back; only what came back does.
  const bonusClaimedNano =
    claimedNano < reversedNano ? minNano(reversedBonusNano, partNano) : maxNano(reversedBonusNano, partNano)
  if (claimedNano === reversedNano && bonusClaimedNano === reversedBonusNano) return null
  return { reversalClaimedNano: claimedNano, reversalBonusClaimedNano: bonusClaimedNano }
}
