import { API_KEY_PATTERN } from '@/lib/http/domain/api-key'
import { createEntryStore } from './storage/entry-store'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { bareText } from './storage/json'
import { VIRTUAL_API_KEY_KEY } from './storage/storage-keys'

/** Null if there is none, or none that the server would accept. */
export function createVirtualApiKeyStore(storage: GuardedStorage) {
  return createEntryStore(storage, VIRTUAL_API_KEY_KEY, text => {
    const key = bareText(text)
    return API_KEY_PATTERN.test(key) ? key : null
  })
}

/** The key that earlier versions stored instead of a credit_id, and a bearer secret like it. */
export const virtualApiKeyStore = createVirtualApiKeyStore(guardedStorage)
