import { callApi, callApiFor, callApiForJson, errorCodeOf, textOf } from '@/lib/http/client/call-api'
import type { NewRefillLink, RefillPayee, ShownRefillLink } from '../contracts/refill'

const PATH = '/topup/refill/link'

/** The refill link of the credit; null if there is none. @throws ApiCallError */
export async function fetchRefillLink(creditId: string): Promise<ShownRefillLink | null> {
  const answer = await callApi({ method: 'GET', path: PATH, bearer: creditId })
  return answer.status === 204 ? null : await answer.json()
}

/** Creates a link, and replaces an earlier one. Its token is only in this answer. @throws ApiCallError */
export function postRefillLink(creditId: string, name: string | null): Promise<NewRefillLink> {
  return callApiFor<NewRefillLink>('token', { method: 'POST', path: PATH, bearer: creditId, body: { name } })
}

/** @throws ApiCallError */
export async function deleteRefillLink(creditId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: PATH, bearer: creditId })
}

/** What the link with this token is for; null if it has been revoked. @throws ApiCallError */
export async function fetchRefillPayee(token: string): Promise<RefillPayee | null> {
  try {
    const answer = await callApiForJson({ method: 'GET', path: '/topup/refill', bearer: token })
    return { name: textOf(answer, 'name') }
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'invalid_credential') return null
    throw thrown
  }
}
