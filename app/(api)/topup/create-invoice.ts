import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import { formatUsd } from '@/lib/money/nano'
import type { CreateInvoiceResult } from '@/lib/payments/domain/payments'
import { positiveDecimal } from './amount-schema'
import { invoiceResponse } from './invoice-response'

const bodySchema = z.object({
  amount: positiveDecimal,
  currency: z.enum(['USD', 'SATS', 'BTC']).default('USD'),
})

/** An invoice for an account, whoever proved to be allowed to ask for it. @throws ApiError */
export async function createInvoice(
  request: Request,
  { payments, rateLimits, settings }: Pick<Services, 'payments' | 'rateLimits' | 'settings'>,
  { accountId, method, returnPath }: { accountId: string; method: string; returnPath?: string },
): Promise<Response> {
  const methodId = z.enum(['btc-lightning', 'btc', 'card']).safeParse(method)
  if (!methodId.success) throw unknownMethod()
  const { amount, currency } = await readJson(request, bodySchema)
  await rateLimits.take('invoice_creation', request.headers)
  const result = await payments.createInvoice({
    accountId,
    methodId: methodId.data,
    amount,
    currency,
    siteUrl: settings.siteUrl ?? new URL(request.url).origin,
    returnPath,
  })
  if (result.outcome !== 'created') throw refusal(result)
  return Response.json(invoiceResponse(result.invoice), { headers: { 'cache-control': 'no-store' } })
}

function unknownMethod(): ApiError {
  return new ApiError('not_found', 'This payment method is not offered here. GET /topup/payment-methods.')
}

function refusal(result: Exclude<CreateInvoiceResult, { outcome: 'created' }>): ApiError {
  switch (result.outcome) {
    case 'unknown_method':
      return unknownMethod()
    case 'unknown_currency':
      return invalid('currency', `This method takes amounts in ${result.currencies.join(', ')}.`)
    case 'amount_too_fine':
      return invalid('amount', 'The amount is finer than its currency: whole cents, whole satoshis.')
    case 'amount_out_of_range': {
      const [minimum, maximum] = [formatUsd(result.minimumNano), formatUsd(result.maximumNano)]
      return invalid('amount', `The amount must be worth from ${minimum} to ${maximum} USD.`)
    }
    case 'rate_unavailable':
      return new ApiError('payment_gateway_error', 'No rate of bitcoin is known now. Give the amount in USD.')
  }
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', message, { param })
}
