import { callApiForJson } from '@/lib/http/client/call-api'

/** An invoice in dollars for whoever the link belongs to. @throws ApiCallError */
export function createRefillInvoice(
  token: string,
  input: { methodId: string; amountUsd: number },
): Promise<unknown> {
  return callApiForJson({
    method: 'POST',
    path: `/topup/refill/create/${encodeURIComponent(input.methodId)}`,
    bearer: token,
    body: { amount: input.amountUsd, currency: 'USD' },
  })
}

/** What became of it. @throws ApiCallError */
export function getRefillInvoice(token: string, invoiceId: string): Promise<unknown> {
  const path = `/topup/refill/status/${encodeURIComponent(invoiceId)}`
  return callApiForJson({ method: 'GET', path, bearer: token })
}
