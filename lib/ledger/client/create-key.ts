import { ApiCallError, callApiForJson, textOf } from '@/lib/http/client/call-api'
import { type KeyChange, type KeyView, keyChangeBody, parseKey } from './api-key'

/** The secret is told this once and can never be asked for again. @throws ApiCallError */
export async function createKey(
  creditId: string,
  change: KeyChange,
): Promise<{ key: KeyView; secret: string }> {
  const answer = await callApiForJson({
    method: 'POST',
    path: '/keys',
    bearer: creditId,
    body: keyChangeBody(change),
  })
  const key = parseKey(answer)
  const secret = textOf(answer, 'key')
  if (!key || !secret) throw new ApiCallError('unknown')
  return { key, secret }
}
