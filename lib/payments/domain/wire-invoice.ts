import { z } from 'zod'
import { wireAmountFound, wireCount, wireText, wireTime } from '@/lib/ledger/domain/wire-values'
import { isPayable } from './convert-amount'
import { GATEWAYS } from './gateway'
import { creditLimitNano } from './invoice'
import { INVOICE_STATES } from './invoice-states'
import { CURRENCIES, METHOD_IDS } from './payment-method'
import { wireDecimal, wireDecimalAboveZero, wireFraction } from './wire-decimal'

export const wireMethodId = z.enum(METHOD_IDS)
export const wireCurrency = z.enum(CURRENCIES)
export const wireGatewayId = z.enum(GATEWAYS)

/** A page leads there: never anything but a site. */
const checkoutUrl = z.url({ protocol: /^https?$/ }).max(4_000)

/** BOLT11 and addresses are put into `lightning:` and `bitcoin:` links: letters and digits alone. */
const lightningInvoice = z.string().regex(/^ln[a-z0-9]{1,8000}$/i)
const bitcoinAddress = z.string().regex(/^[a-z0-9]{10,120}$/i)

/** An invoice is believed only if it keeps the order of its totals, as the check in the database does. */
export const wireInvoice = z
  .object({
    invoiceId: z.uuid(),
    accountId: wireText,
    gatewayId: wireGatewayId,
    gatewayInvoiceId: wireText,
    methodId: wireMethodId,
    requestedAmount: wireDecimal,
    requestedCurrency: wireCurrency,
    amountNano: wireAmountFound,
    bonusFraction: wireFraction,
    state: z.enum(INVOICE_STATES),
    paidLate: z.boolean(),
    paidNano: wireAmountFound,
    inTimeNano: wireAmountFound,
    maximumNano: wireAmountFound,
    approvedNano: wireAmountFound,
    claimedNano: wireAmountFound,
    creditedNano: wireAmountFound,
    bonusClaimedNano: wireAmountFound,
    bonusNano: wireAmountFound,
    refundSeenNano: wireAmountFound,
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
  })
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
