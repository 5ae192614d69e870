import { callApi } from '@/lib/http/client/call-api'

/** The key stops working at once, and stays in the list. @throws ApiCallError */
export async function revokeKey(creditId: string, keyId: string): Promise<void> {
  await callApi({ method: 'DELETE', path: `/keys/${encodeURIComponent(keyId)}`, bearer: creditId })
}
