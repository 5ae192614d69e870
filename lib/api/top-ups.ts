import 'server-only'
import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { readBody } from '@/lib/http/read-body'
import { siteUrlFor } from '@/lib/http/request-origin'
import { parseDecimal } from '@/lib/money/decimal'
import { formatUsd } from '@/lib/money/nano'
import { GATEWAYS } from '@/lib/payments/domain/gateway'
import { CURRENCIES, METHOD_IDS } from '@/lib/payments/domain/payment-method'
import type { CreateInvoiceInput, CreateInvoiceResult } from '@/lib/payments/domain/payments'
import { sandboxPreimage } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import {
  invoiceStatusSchema,
  invoiceStatusToBody,
  invoiceToBody,
  methodSchema,
  methodToBody,
  type NewInvoice,
  newInvoiceSchema,
} from './contracts/invoices'
import { route } from './route'

/** Enough to try over-payments, and low enough that no sandbox balance becomes absurd. */
const FRACTION_MAX = 10n
/** Stripe's events carry whole objects; none comes near this. */
const WEBHOOK_BYTES_MAX = 512 * 1024

/** A JSON number or a decimal string, read exactly as it is written. */
const positiveDecimal = z
  .union([z.number().meta({ exclusiveMinimum: 0 }), z.string()])
  .transform((value, context) => {
    const decimal = parseDecimal(String(value))
    if (decimal && decimal.coefficient > 0n) return decimal
    context.addIssue({ code: 'custom', message: 'expected a positive decimal number' })
    return z.NEVER
  })

const UNKNOWN_METHOD =
  'This payment method is not offered here. GET /topup/payment-methods lists the ones that are.'
const ABSENT_GATEWAY = 'This gateway is not configured here.'

/** The body of a request for an invoice. */
export const invoiceRequest = {
  params: { method: z.enum(METHOD_IDS, UNKNOWN_METHOD).describe('How to pay.') },
  body: z
    .strictObject({ amount: positiveDecimal, currency: z.enum(CURRENCIES).default('USD') })
    .meta({ id: 'InvoiceRequest' }),
  limit: 'invoice_creation',
  answer: newInvoiceSchema,
} as const

/** The state of an invoice. */
export const invoiceLookUp = {
  description: 'Late payments, partial payments and overpayments are credited with the amount that arrived.',
  params: { invoice_id: z.string().describe('The random id of the invoice.') },
  answer: invoiceStatusSchema,
} as const

export const topUpRoutes = [
  route(
    {
      method: 'GET',
      path: '/topup/payment-methods',
      summary: 'List the payment methods with their currencies, limits and bonus',
      caller: 'published',
      answer: z.object({ supported_methods: z.array(methodSchema) }),
    },
    async ({ services: { payments } }) => ({
      supported_methods: (await payments.listMethods()).map(methodToBody),
    }),
  ),
  route(
    {
      method: 'POST',
      path: '/topup/create/{method}',
      summary: 'Create an invoice',
      caller: 'account',
      ...invoiceRequest,
    },
    async ({ request, services, caller: { accountId }, params: { method: methodId }, body }) =>
      orderInvoice(request, services, { ...body, accountId, methodId }),
  ),
  route(
    {
      method: 'GET',
      path: '/topup/status/{invoice_id}',
      summary: 'Get the state of an invoice',
      caller: 'account',
      ...invoiceLookUp,
    },
    async ({ services, caller: { accountId }, params: { invoice_id: invoiceId } }) =>
      showInvoice(services, { accountId, invoiceId }),
  ),
  route(
    {
      method: 'POST',
      path: '/topup/sandbox/{invoice_id}/pay',
      summary: 'Pay an invoice of the sandbox',
      description:
        'Anybody who knows the id of an invoice can pay it, like a real one. The route exists only in the sandbox.',
      caller: 'public',
      params: invoiceLookUp.params,
      body: z.strictObject({
        fraction: positiveDecimal
          .refine(
            ({ coefficient, scale }) => coefficient <= FRACTION_MAX * 10n ** BigInt(scale),
            'expected at most 10',
          )
          .default({ coefficient: 1n, scale: 0 })
          .describe('The part of the amount to pay: 1 is all of it.'),
        payment_id: z
          .uuid()
          .optional()
          .describe('Makes a retry safe: nothing is paid twice under the same id.'),
      }),
      answer: invoiceStatusSchema.extend({
        preimage: z
          .string()
          .nullable()
          .describe(
            'The preimage in hex that a Lightning wallet gets by paying in full: the proof of payment.',
          ),
      }),
    },
    async ({
      services: { payments },
      params: { invoice_id: invoiceId },
      body: { fraction, payment_id: paymentId },
    }) => {
      const invoice = await payments.paySandboxInvoice({ invoiceId, fraction, paymentId })
      if (invoice) return { ...invoiceStatusToBody(invoice), preimage: sandboxPreimage(invoice) }
      throw new ApiError('not_found', 'There is no sandbox invoice with this id.')
    },
  ),
  route(
    {
      method: 'POST',
      path: '/topup/webhooks/{gateway}',
      summary: 'Receive a gateway’s notification about a payment',
      description: 'For the gateways that are configured here. Each one signs its webhooks in its own way.',
      caller: 'secret',
      params: { gateway: z.enum(GATEWAYS, ABSENT_GATEWAY) },
      bodiesByType: { 'application/json': z.looseObject({}) },
      answer: z.object({ received: z.literal(true) }),
    },
    async ({ request, services: { payments, bodiesInFlight }, params: { gateway: gatewayId } }) => {
      const rawBody = await readBody(request, WEBHOOK_BYTES_MAX, bodiesInFlight)
      const { headers } = request
      const { outcome } = await payments.handleWebhook({ gatewayId, rawBody, headers })
      if (outcome === 'absent') throw new ApiError('not_found', ABSENT_GATEWAY)
      if (outcome === 'refused')
        throw new ApiError('invalid_credential', 'The signature of this webhook does not verify.')
      return { received: true as const }
    },
  ),
]

/** Creates an invoice for an account; the route has checked that the caller may. @throws ApiError */
export async function orderInvoice(
  request: Request,
  { payments, settings }: Services,
  input: Omit<CreateInvoiceInput, 'siteUrl'>,
): Promise<NewInvoice> {
  const result = await payments.createInvoice({ ...input, siteUrl: siteUrlFor(settings, request) })
  if (result.outcome === 'created') return invoiceToBody(result.invoice)
  throw invoiceRefusal(result)
}

/** @throws ApiError not_found, the same for an unknown invoice and somebody else's */
export async function showInvoice(
  { payments }: Services,
  input: { accountId: string; invoiceId: string },
): Promise<z.output<typeof invoiceStatusSchema>> {
  const invoice = await payments.getInvoice(input)
  if (invoice) return invoiceStatusToBody(invoice)
  throw new ApiError('not_found', 'There is no invoice with this id.')
}

function invoiceRefusal(result: Exclude<CreateInvoiceResult, { outcome: 'created' }>): ApiError {
  switch (result.outcome) {
    case 'unknown_method':
      return new ApiError('not_found', UNKNOWN_METHOD)
    case 'unknown_currency':
      return invalid('currency', `This method takes amounts in ${result.currencies.join(', ')}.`)
    case 'amount_too_fine':
      return invalid('amount', 'The amount has too many decimals: expected whole cents, or whole satoshis.')
    case 'amount_out_of_range': {
      const [minimum, maximum] = [formatUsd(result.minimumNano), formatUsd(result.maximumNano)]
      return invalid('amount', `The amount must be worth from ${minimum} to ${maximum} USD.`)
    }
    case 'rate_unavailable':
      return new ApiError(
        'payment_gateway_error',
        'No bitcoin exchange rate is known at the moment. Give the amount in USD.',
      )
  }
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', message, { param })
}
