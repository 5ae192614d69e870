import { ApiCallError, callApiForJson, numberOf } from '@/lib/http/client/call-api'

/**
 * Moves what one credit has available into another; repeating it moves only what has come since.
 * @returns what moved, in dollars
 * @throws ApiCallError
 */
export async function mergeCredit({
  fromCreditId,
  intoCreditId,
}: {
  fromCreditId: string
  intoCreditId: string
}): Promise<{ movedUsd: number }> {
  const answer = await callApiForJson({
    method: 'POST',
    path: '/accounts/merge',
    bearer: intoCreditId,
    body: { from_credit_id: fromCreditId },
  })
  const movedUsd = numberOf(answer, 'moved_usd')
  if (movedUsd === null) throw new ApiCallError('unknown')
  return { movedUsd }
}
