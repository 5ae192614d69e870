import 'server-only'
import { z } from 'zod'
import { decimalValue } from '@/lib/host-mode/domain/values'
import { answeredDecimal, answeredSeconds, answeredText } from '../../server/read-answer'

/**
 * What we read of BTCPay Server's Greenfield API, versions 1.x and 2.x, as described by its own
 * `swagger.template.*.json`. Decimals are strings there; numbers are accepted, too.
 */
const decimal = answeredDecimal
/** What it is decides which amount of a refund counts, once. */
const currencyCode = z.string().regex(/^[A-Za-z][\w-]{0,19}$/)
/** The ids of a payment and of a payment method. */
const printable = z.string().regex(/^[\x21-\x7e]{1,300}$/)

/** `InvoiceData` */
export const btcpayInvoiceSchema = z.object({
  id: z.string().min(1),
  storeId: z.string().nullish(),
  metadata: z.object({ orderId: z.string().nullish() }).nullish(),
  amount: decimal,
  currency: z.string(),
  /** Rounded to the currency's decimal places; missing in 1.x. Includes unconfirmed payments. */
  paidAmount: decimal.nullish(),
  checkoutLink: z.string().nullish(),
  expirationTime: answeredSeconds,
  status: z.enum(['New', 'Processing', 'Expired', 'Invalid', 'Settled']),
  additionalStatus: z.string().nullish(),
})

const paymentSchema = z.object({
  /** The id of the transaction's output, or of the Lightning payment. */
  id: printable,
  receivedDate: answeredSeconds.nullish(),
  value: decimal,
  fee: decimal.nullish(),
  status: z.string().nullish(),
})

/** `InvoicePaymentMethodDataModel`; 1.x called `paymentMethodId` `paymentMethod`. */
export const btcpayPaymentMethodsSchema = z.array(
  z
    .object({
      paymentMethodId: printable.nullish(),
      paymentMethod: printable.nullish(),
      destination: z.string().nullish(),
      /** The price of one unit of the method's currency, in the invoice's currency. */
      rate: decimal,
      paymentMethodPaid: decimal.nullish(),
      /** Below zero after an overpayment. */
      due: answeredText.pipe(decimalValue).nullish(),
      payments: z.array(paymentSchema).nullish(),
    })
    .transform(({ paymentMethod, paymentMethodId, ...rest }) => ({
      ...rest,
      id: paymentMethodId ?? paymentMethod ?? '',
    })),
)

/** `StoreRateResult` */
export const btcpayRatesSchema = z.array(z.object({ currencyPair: z.string(), rate: decimal.nullish() }))

/** `PullPaymentData`. A refund is a pull payment named "Refund" and the invoice's id. */
export const btcpayPullPaymentSchema = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  description: z.string().nullish(),
  currency: currencyCode,
})

/** `PayoutData`; in 1.x, `originalAmount` was `amount`, and `payoutAmount` was `paymentMethodAmount`. */
export const btcpayPayoutsSchema = z.array(
  z
    .object({
      id: printable,
      pullPaymentId: z.string().nullish(),
      state: z.string(),
      originalCurrency: currencyCode.nullish(),
      originalAmount: decimal.nullish(),
      amount: decimal.nullish(),
      payoutCurrency: currencyCode.nullish(),
      cryptoCode: currencyCode.nullish(),
      payoutAmount: decimal.nullish(),
      paymentMethodAmount: decimal.nullish(),
    })
    .transform(({ amount, cryptoCode, paymentMethodAmount, ...rest }) => ({
      ...rest,
      originalAmount: rest.originalAmount ?? amount ?? null,
      payoutCurrency: rest.payoutCurrency ?? cryptoCode ?? null,
      payoutAmount: rest.payoutAmount ?? paymentMethodAmount ?? null,
    })),
)

/** `WebhookInvoiceEvent` and `WebhookPayoutEvent` */
export const btcpayWebhookSchema = z.object({
  type: z.string(),
  storeId: z.string().nullish(),
  invoiceId: z.string().nullish(),
  pullPaymentId: z.string().nullish(),
})

export type BtcpayInvoice = z.output<typeof btcpayInvoiceSchema>
export type BtcpayPayment = z.output<typeof paymentSchema>
export type BtcpayPaymentMethod = z.output<typeof btcpayPaymentMethodsSchema>[number]
export type BtcpayPullPayment = z.output<typeof btcpayPullPaymentSchema>
export type BtcpayPayout = z.output<typeof btcpayPayoutsSchema>[number]
