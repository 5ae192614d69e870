import { callApi, callApiFor } from '@/lib/http/client/call-api'
import type { Key, KeySettings, NewKey } from '../contracts/keys'

export const RESET_PERIODS: readonly Key['reset_period'][] = ['none', 'daily', 'weekly', 'monthly']

/** Every key of the credit, revoked ones too. @throws ApiCallError */
export async function fetchKeys(creditId: string): Promise<Key[]> {
  const answer = await callApiFor<{ data: Key[] }>('data', { method: 'GET', path: '/keys', bearer: creditId })
  return answer.data
}

/** Creates a key. Its secret is only in this answer, and cannot be fetched again. @throws ApiCallError */
export function postKey(creditId: string, body: KeySettings): Promise<NewKey> {
  return callApiFor<NewKey>('key', { method: 'POST', path: '/keys', bearer: creditId, body })
}

/** @throws ApiCallError */
export async function patchKey(creditId: string, keyId: string, body: KeySettings): Promise<void> {
  await callApi({ method: 'PATCH', path: pathOf(keyId), bearer: creditId, body })
}

/** The key stops working at once, and stays in the list. @throws ApiCallError */
export async function deleteKey(creditId: string, keyId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: pathOf(keyId), bearer: creditId })
}

function pathOf(keyId: string): string {
  return `/keys/${encodeURIComponent(keyId)}`
}
