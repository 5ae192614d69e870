import { callApi, callApiFor, errorCodeOf } from '@/lib/http/client/call-api'
import type { NewRefillLink, ShownRefillLink } from '../contracts/refill'

const PATH = '/topup/refill/link'

/** The credit's link; null when there is none. @throws ApiCallError */
export async function fetchRefillLink(creditId: string): Promise<ShownRefillLink | null> {
  try {
    return await callApiFor<ShownRefillLink>('created_at', { method: 'GET', path: PATH, bearer: creditId })
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'not_found') return null
    throw thrown
  }
}

/** Replaces the link that was there; the token is told this once. @throws ApiCallError */
export function postRefillLink(creditId: string): Promise<NewRefillLink> {
  return callApiFor<NewRefillLink>('token', { method: 'POST', path: PATH, bearer: creditId })
}

/** @throws ApiCallError */
export async function deleteRefillLink(creditId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: PATH, bearer: creditId })
}
