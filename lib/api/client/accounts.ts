import { callApiFor } from '@/lib/http/client/call-api'
import type { MergedBalance } from '../contracts/accounts'

/**
 * Moves the available balance of one credit into another. A repetition moves only what has been added since.
 * @throws ApiCallError
 */
export function mergeCredit(input: { fromCreditId: string; intoCreditId: string }): Promise<MergedBalance> {
  return merge(input.intoCreditId, { from_credit_id: input.fromCreditId })
}

/**
 * The same from a credit that leaked, which ends. The answer's `closed` tells whether all of it has moved.
 * @throws ApiCallError not_found if it is unknown, or has ended for another one
 */
export function closeCredit(input: { fromCreditId: string; intoCreditId: string }): Promise<MergedBalance> {
  return merge(input.intoCreditId, { from_credit_id: input.fromCreditId, close: true })
}

/**
 * The same from an API key of an earlier version that holds a balance of its own.
 * @throws ApiCallError forbidden for a key that belongs to another credit, conflict for one of `intoCreditId`
 */
export function mergeKey(input: { apiKey: string; intoCreditId: string }): Promise<MergedBalance> {
  return merge(input.intoCreditId, { from_api_key: input.apiKey })
}

function merge(intoCreditId: string, body: Record<string, string | boolean>): Promise<MergedBalance> {
  const path = '/accounts/merge'
  return callApiFor<MergedBalance>('moved_usd', { method: 'POST', path, bearer: intoCreditId, body })
}
