import { callApiForJson, fieldOf } from '@/lib/http/client/call-api'
import { type KeyView, parseKey } from './api-key'

/** Every key of the credit, revoked ones too. @throws ApiCallError */
export async function listKeys(creditId: string): Promise<KeyView[]> {
  const data = fieldOf(await callApiForJson({ method: 'GET', path: '/keys', bearer: creditId }), 'data')
  return Array.isArray(data) ? data.flatMap(entry => parseKey(entry) ?? []) : []
}
