import {
  ApiCallError,
  callApi,
  callApiForJson,
  errorCodeOf,
  numberOf,
  textOf,
} from '@/lib/http/client/call-api'

const PATH = '/topup/refill/link'

export interface RefillLinkView {
  createdAtSeconds: number
}

/** The credit's link; null when there is none. @throws ApiCallError */
export async function getRefillLink(creditId: string): Promise<RefillLinkView | null> {
  try {
    const answer = await callApiForJson({ method: 'GET', path: PATH, bearer: creditId })
    return { createdAtSeconds: numberOf(answer, 'created_at') ?? 0 }
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'not_found') return null
    throw thrown
  }
}

/** Replaces the link that was there; the token is told this once. @throws ApiCallError */
export async function createRefillLink(creditId: string): Promise<{ link: RefillLinkView; token: string }> {
  const answer = await callApiForJson({ method: 'POST', path: PATH, bearer: creditId })
  const token = textOf(answer, 'token')
  if (!token) throw new ApiCallError('unknown')
  return { link: { createdAtSeconds: numberOf(answer, 'created_at') ?? 0 }, token }
}

/** @throws ApiCallError */
export async function revokeRefillLink(creditId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: PATH, bearer: creditId })
}
