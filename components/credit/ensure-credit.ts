import { ApiCallError, callApiForJson, fieldOf } from '@/lib/http/client/call-api'
import { creditIdStore, isCreditId } from '@/lib/local/credit-id'
import { withLock } from '@/lib/local/storage/locks'
import { readUtm } from '@/lib/local/utm'

/**
 * The browser's credit; made now when there is none. One at a time over all tabs: a second account made
 * meanwhile would replace the first one, and the money on it. @throws ApiCallError
 */
export async function ensureCredit(): Promise<string> {
  return creditIdStore.getSnapshot() ?? (await withLock('create-credit', readOrCreateCredit))
}

async function readOrCreateCredit(): Promise<string> {
  const known = creditIdStore.getSnapshot()
  if (known) return known
  const answer = await callApiForJson({
    method: 'POST',
    path: '/accounts/create',
    // A key that nobody sees would stand in the list of keys and spend for whoever finds it.
    body: { attribution: readUtm(), with_api_key: false },
  })
  const creditId = fieldOf(answer, 'credit_id')
  if (typeof creditId !== 'string' || !isCreditId(creditId)) throw new ApiCallError('unknown')
  // Money must never be sent to a credit that the browser could not keep.
  if (!creditIdStore.write(creditId)) throw new ApiCallError('storage_full')
  return creditId
}
