import { ApiCallError, callApiForJson } from '@/lib/http/client/call-api'
import { ensureCredit } from './ensure-credit'
import { type Invoice, parseInvoice } from './invoice'
import type { MethodId } from './payment-method'

/** Asks for an invoice in dollars, for the browser's credit. @throws ApiCallError */
export async function createInvoice(input: { methodId: MethodId; amountUsd: number }): Promise<Invoice> {
  const creditId = await ensureCredit()
  const answer = await callApiForJson({
    method: 'POST',
    path: `/topup/create/${input.methodId}`,
    bearer: creditId,
    body: { amount: input.amountUsd, currency: 'USD' },
  })
  const invoice = parseInvoice(answer)
  if (!invoice) throw new ApiCallError('unknown')
  return invoice
}
