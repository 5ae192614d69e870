import { isUuid } from '@/lib/http/domain/uuid'
import { createEntryStore } from './storage/entry-store'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { CREDIT_ID_KEY } from './storage/storage-keys'

/** "UUID-like", as specified: credits made by other products are valid, too. */
export const isCreditId = isUuid

/** The only part of a credit_id that may appear in a report. */
export function creditIdFirstSegment(creditId: string): string {
  return creditId.split('-', 1)[0]?.slice(0, 8) ?? ''
}

/** Null if this browser has no credit. A value of another form is returned as it is. */
export function createCreditIdStore(storage: GuardedStorage) {
  return createEntryStore(storage, CREDIT_ID_KEY, text => text?.trim() || null)
}

/** This browser's credit: a bearer secret, never to be logged or put into an address. */
export const creditIdStore = createCreditIdStore(guardedStorage)
