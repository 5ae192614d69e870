import { callApiFor } from '@/lib/http/client/call-api'
import type { MergedBalance } from '../contracts/accounts'

/**
 * Moves what one credit has available into another; repeating it moves only what has come since.
 * @throws ApiCallError
 */
export function mergeCredit(input: { fromCreditId: string; intoCreditId: string }): Promise<MergedBalance> {
  return merge(input.intoCreditId, { from_credit_id: input.fromCreditId })
}

/**
 * The same from an API key that alone holds a balance, as an earlier version left some.
 * @throws ApiCallError forbidden for a key of a credit that somebody holds, conflict for one of `intoCreditId`
 */
export function mergeKey(input: { apiKey: string; intoCreditId: string }): Promise<MergedBalance> {
  return merge(input.intoCreditId, { from_api_key: input.apiKey })
}

function merge(intoCreditId: string, body: Record<string, string>): Promise<MergedBalance> {
  const path = '/accounts/merge'
  return callApiFor<MergedBalance>('moved_usd', { method: 'POST', path, bearer: intoCreditId, body })
}
