import { z } from 'zod'
import { formatDecimal, multiply } from '@/lib/money/decimal'
import { nanoToUsdNumber } from '@/lib/money/nano'
import {
  CURRENCY_SCALE,
  satoshisToBitcoin,
  toSatoshisDown,
  toSatoshisUp,
} from '@/lib/payments/domain/convert-amount'
import {
  ADDITIONAL_STATUSES,
  additionalStatus,
  excessNano,
  type Invoice,
  withShownTotals,
} from '@/lib/payments/domain/invoice'
import { INVOICE_STATES } from '@/lib/payments/domain/invoice-states'
import { CURRENCIES, METHOD_IDS } from '@/lib/payments/domain/payment-method'
import type { MethodOffer } from '@/lib/payments/domain/payments'
import { unixSeconds, unixSecondsOf } from './values'

const limitSchema = z.object({ min: z.number(), max: z.number() })

/** PayPerQ's fields (`method` to `limits`), followed by our own. */
export const methodSchema = z
  .object({
    method: z.enum(METHOD_IDS),
    display_name: z.string(),
    supported_currencies: z.array(z.enum(CURRENCIES)),
    limits: z
      .object({ USD: limitSchema, SATS: limitSchema.optional(), BTC: limitSchema.optional() })
      .describe('Amounts in bitcoin follow the exchange rate, and are absent while no rate is known.'),
    expires_in_seconds: z.int(),
    bonus_percent: z.number(),
    usd_per_bitcoin: z.number().nullable(),
    sandbox: z.boolean(),
  })
  .meta({ id: 'PaymentMethod' })

/** The fields of a new invoice that PayPerQ's clients know, and some of our own. */
export const newInvoiceSchema = z
  .object({
    invoice_id: z.string(),
    created_at: unixSeconds,
    expires_at: unixSeconds,
    expires_in_seconds: z
      .int()
      .describe('From now until `expires_at`, by the clock that decides; negative once it is over.'),
    method: z.enum(METHOD_IDS),
    amount: z.number(),
    currency: z.enum(CURRENCIES),
    amount_usd: z.number(),
    checkout_url: z.string().nullable(),
    lightning_invoice: z.string().nullable().describe('BOLT11.'),
    address: z.string().nullable().describe('The bitcoin address to pay to.'),
    crypto_amount_due: z.number().nullable().describe('In bitcoin.'),
    sandbox: z.boolean(),
  })
  .meta({ id: 'Invoice' })

export const invoiceStatusSchema = newInvoiceSchema
  .extend({
    status: z.enum(INVOICE_STATES),
    additional_status: z.enum(ADDITIONAL_STATUSES),
    amount_paid: z.number().describe('In the currency of the amount, at the exchange rate of the invoice.'),
    paid_usd: z.number(),
    credited_usd: z.number(),
    uncredited_usd: z
      .number()
      .describe(
        'USD that arrived above the maximum that is credited automatically. The operator decides about them.',
      ),
    bonus_usd: z.number(),
    refunded_usd: z.number(),
  })
  .meta({ id: 'InvoiceStatus' })

export type PaymentMethodOffer = z.output<typeof methodSchema>
export type NewInvoice = z.output<typeof newInvoiceSchema>
export type InvoiceStatus = z.output<typeof invoiceStatusSchema>

export function invoiceToBody(invoice: Invoice): NewInvoice {
  return {
    invoice_id: invoice.invoiceId,
    created_at: unixSecondsOf(invoice.createdAt),
    expires_at: unixSecondsOf(invoice.expiresAt),
    expires_in_seconds: unixSecondsOf(invoice.expiresAt) - unixSecondsOf(invoice.readAt ?? new Date()),
    method: invoice.methodId,
    amount: Number(formatDecimal(invoice.requestedAmount)),
    currency: invoice.requestedCurrency,
    amount_usd: nanoToUsdNumber(invoice.amountNano),
    checkout_url: invoice.checkoutUrl,
    lightning_invoice: invoice.lightningInvoice,
    address: invoice.bitcoinAddress,
    crypto_amount_due: invoice.bitcoinDue && Number(formatDecimal(invoice.bitcoinDue)),
    sandbox: invoice.gatewayId === 'sandbox',
  }
}

export function invoiceStatusToBody(seen: Invoice): InvoiceStatus {
  const invoice = withShownTotals(seen)
  return {
    ...invoiceToBody(invoice),
    status: invoice.state,
    additional_status: additionalStatus(invoice),
    amount_paid: amountPaid(invoice),
    paid_usd: nanoToUsdNumber(invoice.paidNano),
    credited_usd: nanoToUsdNumber(invoice.creditedNano + invoice.bonusNano),
    uncredited_usd: nanoToUsdNumber(excessNano(invoice)),
    bonus_usd: nanoToUsdNumber(invoice.bonusNano),
    refunded_usd: nanoToUsdNumber(invoice.reversedNano),
  }
}

/** In the currency of the request, at the exchange rate of the invoice, rounded down to that currency's decimals. */
function amountPaid({ requestedAmount, requestedCurrency, paidNano, amountNano }: Invoice): number {
  const scale = CURRENCY_SCALE[requestedCurrency]
  const requested = requestedAmount.coefficient * 10n ** BigInt(scale - requestedAmount.scale)
  return Number(formatDecimal({ coefficient: (requested * paidNano) / amountNano, scale }))
}

const PERCENT = { coefficient: 100n, scale: 0 }

export function methodToBody(offer: MethodOffer): PaymentMethodOffer {
  return {
    method: offer.id,
    display_name: offer.displayName,
    supported_currencies: offer.currencies.filter(currency => currency === 'USD' || offer.usdPerBitcoin),
    limits: limitsOf(offer),
    expires_in_seconds: offer.expirySeconds,
    bonus_percent: Number(formatDecimal(multiply(offer.bonusFraction, PERCENT))),
    usd_per_bitcoin: offer.usdPerBitcoin && Number(formatDecimal(offer.usdPerBitcoin)),
    sandbox: offer.gatewayId === 'sandbox',
  }
}

function limitsOf({
  minimumNano,
  maximumNano,
  currencies,
  usdPerBitcoin,
}: MethodOffer): PaymentMethodOffer['limits'] {
  const dollars = { USD: { min: nanoToUsdNumber(minimumNano), max: nanoToUsdNumber(maximumNano) } }
  if (!usdPerBitcoin || !currencies.includes('SATS')) return dollars
  const satoshis = {
    min: toSatoshisUp(minimumNano, usdPerBitcoin),
    max: toSatoshisDown(maximumNano, usdPerBitcoin),
  }
  return {
    ...dollars,
    SATS: { min: Number(satoshis.min), max: Number(satoshis.max) },
    BTC: { min: bitcoin(satoshis.min), max: bitcoin(satoshis.max) },
  }
}

function bitcoin(satoshis: bigint): number {
  return Number(formatDecimal(satoshisToBitcoin(satoshis)))
}
