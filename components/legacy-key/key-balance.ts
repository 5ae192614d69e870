import { ApiCallError, callApiForJson, numberOf } from '@/lib/http/client/call-api'

/** Dollars; null for a key that is not known here. @throws ApiCallError */
export async function fetchKeyBalance(apiKey: string): Promise<number | null> {
  try {
    const answer = await callApiForJson({ method: 'POST', path: '/credits/balance', bearer: apiKey })
    const balanceUsd = numberOf(answer, 'balance')
    if (balanceUsd === null) throw new ApiCallError('unknown')
    return balanceUsd
  } catch (thrown) {
    if (thrown instanceof ApiCallError && thrown.code === 'invalid_credential') return null
    throw thrown
  }
}
