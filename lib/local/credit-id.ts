import { createListeners } from './storage/external-store'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { CREDIT_ID_KEY } from './storage/storage-keys'

/** "UUID-like" (specification, section 3): loose enough for credits that other products made. */
const CREDIT_ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isCreditId(text: string): boolean {
  return CREDIT_ID_PATTERN.test(text)
}

/** The only part of a credit_id that may appear in a report. */
export function creditIdFirstSegment(creditId: string): string {
  return creditId.split('-', 1)[0]?.slice(0, 8) ?? ''
}

export function createCreditIdStore(storage: GuardedStorage) {
  const { subscribe, notify } = createListeners()
  storage.subscribe(key => {
    if (key === null || key === CREDIT_ID_KEY) notify()
  })
  return {
    subscribe,
    /** Null when this browser holds no credit. A value of another form is returned as it is. */
    getSnapshot(): string | null {
      return storage.read(CREDIT_ID_KEY)?.trim() || null
    },
    getServerSnapshot: (): string | null => null,
    /** False when local storage is full. */
    write(creditId: string): boolean {
      const isWritten = storage.write(CREDIT_ID_KEY, creditId)
      notify()
      return isWritten
    },
    remove(): void {
      storage.remove(CREDIT_ID_KEY)
      notify()
    },
    /** After somebody else in this tab has written it: an import. */
    refresh: notify,
  }
}

/** Which credit this browser holds: a bearer secret, never to be logged or put into an address. */
export const creditIdStore = createCreditIdStore(guardedStorage)
