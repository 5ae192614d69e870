import { isUuid } from '@/lib/http/domain/uuid'
import { createEntryStore } from './storage/entry-store'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { bareText, parseStored } from './storage/json'
import { CREDIT_ID_KEY } from './storage/storage-keys'

/** "UUID-like", as specified: credits made by other products are valid, too. */
export const isCreditId = isUuid

/** The only part of a credit_id that may appear in a report. */
export function creditIdFirstSegment(creditId: string): string {
  return creditId.split('-', 1)[0]?.slice(0, 8) ?? ''
}

/** What was stored for one credit, if it is this one; null otherwise. */
export function ofCredit<Stored extends { readonly creditSegment: string }>(
  stored: Stored | null,
  creditId: string | null | undefined,
): Stored | null {
  return creditId && stored?.creditSegment === creditIdFirstSegment(creditId) ? stored : null
}

/** Null if there is none. Other products store it as JSON; a value of another form is returned as it is. */
export function readCreditId(text: string | null): string | null {
  return parseStored(text) === null ? null : bareText(text) || null
}

export function createCreditIdStore(storage: GuardedStorage) {
  return createEntryStore(storage, CREDIT_ID_KEY, readCreditId)
}

/** This browser's credit: a bearer secret, never to be logged or put into an address. */
export const creditIdStore = createCreditIdStore(guardedStorage)
