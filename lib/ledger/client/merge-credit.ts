import { ApiCallError, callApiForJson, numberOf } from '@/lib/http/client/call-api'

/**
 * Moves what one credit has available into another; repeating it moves only what has come since.
 * @returns what moved, in dollars
 * @throws ApiCallError
 */
export function mergeCredit(input: {
  fromCreditId: string
  intoCreditId: string
}): Promise<{ movedUsd: number }> {
  return merge(input.intoCreditId, { from_credit_id: input.fromCreditId })
}

/**
 * The same from an API key that alone holds a balance, as an earlier version left some.
 * @throws ApiCallError forbidden for a key of a credit that somebody holds, conflict for one of `intoCreditId`
 */
export function mergeKey(input: { apiKey: string; intoCreditId: string }): Promise<{ movedUsd: number }> {
  return merge(input.intoCreditId, { from_api_key: input.apiKey })
}

async function merge(intoCreditId: string, body: Record<string, string>): Promise<{ movedUsd: number }> {
  const answer = await callApiForJson({ method: 'POST', path: '/accounts/merge', bearer: intoCreditId, body })
  const movedUsd = numberOf(answer, 'moved_usd')
  if (movedUsd === null) throw new ApiCallError('unknown')
  return { movedUsd }
}
