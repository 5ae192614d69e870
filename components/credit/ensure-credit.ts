import { ApiCallError, callApiForJson, textOf } from '@/lib/http/client/call-api'
import { creditIdStore, isCreditId } from '@/lib/local/credit-id'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { withLock } from '@/lib/local/storage/locks'
import { setAsideItem } from '@/lib/local/storage/set-aside'
import { CREDIT_ID_KEY } from '@/lib/local/storage/storage-keys'
import { readUtm } from '@/lib/local/utm'

/**
 * The browser's credit, created now if there is none. Locked over all tabs: a second account created meanwhile would
 * replace the first, and lose the money on it. @throws ApiCallError
 */
export async function ensureCredit(): Promise<string> {
  return creditIdStore.getSnapshot() ?? (await withLock('create-credit', readOrCreateCredit))
}

/**
 * A new credit in the place of one that the server does not know, because it was damaged or is from another database.
 * That one is set aside, not lost. @throws ApiCallError
 */
export async function replaceUnknownCredit(unknownId: string): Promise<string> {
  return withLock('create-credit', async () => {
    const isStored = creditIdStore.getSnapshot() === unknownId
    if (isStored && !setAsideItem(guardedStorage, CREDIT_ID_KEY)) throw new ApiCallError('storage_full')
    return readOrCreateCredit()
  })
}

async function readOrCreateCredit(): Promise<string> {
  const known = creditIdStore.getSnapshot()
  if (known) return known
  const creditId = await createCredit()
  // Money must never be sent to a credit that the browser could not store.
  if (!creditIdStore.write(creditId)) throw new ApiCallError('storage_full')
  return creditId
}

/** A credit that is kept nowhere yet. @throws ApiCallError */
export async function createCredit(): Promise<string> {
  const answer = await callApiForJson({
    method: 'POST',
    path: '/accounts/create',
    // An API key that the person never sees would be listed with the others, and let anybody who finds it spend.
    body: { attribution: readUtm(), with_api_key: false },
  })
  const creditId = textOf(answer, 'credit_id')
  if (creditId === null || !isCreditId(creditId)) throw new ApiCallError('unknown')
  return creditId
}
