import { callApi } from '@/lib/http/client/call-api'
import { type KeyChange, keyChangeBody } from './api-key'

/** @throws ApiCallError */
export async function updateKey(creditId: string, keyId: string, change: KeyChange): Promise<void> {
  const path = `/keys/${encodeURIComponent(keyId)}`
  await callApi({ method: 'PATCH', path, bearer: creditId, body: keyChangeBody(change) })
}
