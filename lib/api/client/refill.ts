import { callApi, callApiFor, callApiForJson, errorCodeOf } from '@/lib/http/client/call-api'
import type { NewRefillLink, ShownRefillLink } from '../contracts/refill'

const PATH = '/topup/refill/link'

/** The credit's link; null when there is none. @throws ApiCallError */
export async function getRefillLink(creditId: string): Promise<ShownRefillLink | null> {
  try {
    return await callApiFor<ShownRefillLink>('created_at', { method: 'GET', path: PATH, bearer: creditId })
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'not_found') return null
    throw thrown
  }
}

/** Replaces the link that was there; the token is told this once. @throws ApiCallError */
export function createRefillLink(creditId: string): Promise<NewRefillLink> {
  return callApiFor<NewRefillLink>('token', { method: 'POST', path: PATH, bearer: creditId })
}

/** @throws ApiCallError */
export async function revokeRefillLink(creditId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: PATH, bearer: creditId })
}

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
