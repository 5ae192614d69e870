import { createListeners } from './external-store'
import { isQuotaExceeded } from './is-quota-exceeded'
import { findArea, openArea, type StorageArea } from './storage-area'
import { storageFullStore } from './storage-full-store'

/** Every read and write of local storage goes through one of these. */
export interface GuardedStorage {
  read(key: string): string | null
  /**
   * Returns false if the quota is exceeded: nothing was written, and the storage-full warning is open.
   * @throws any other error of the browser's
   */
  write(key: string, text: string): boolean
  remove(key: string): void
  /** Other tabs then forget what they have in memory, instead of restoring it. */
  clear(): void
  /** Opens the storage-full warning if writing would destroy something that could not be set aside. */
  refuse(): false
  keys(): string[]
  /**
   * Reports other tabs' writes with the text of each, because it may already be overwritten. A key of `null` means that
   * everything was cleared.
   */
  subscribe(listener: (key: string | null, text: string | null) => void): () => void
}

export function createGuardedStorage(
  openStorageArea: () => StorageArea,
  listen: GuardedStorage['subscribe'],
  onFull: () => void,
): GuardedStorage {
  let opened: StorageArea | null = null
  const area = (): StorageArea => {
    opened ??= openStorageArea()
    return opened
  }
  return {
    read: key => area().getItem(key),
    write(key, text) {
      try {
        area().setItem(key, text)
        return true
      } catch (error) {
        if (!isQuotaExceeded(error)) throw error
        onFull()
        return false
      }
    },
    remove: key => area().removeItem(key),
    clear: () => area().clear(),
    refuse() {
      onFull()
      return false
    },
    keys() {
      const keys: string[] = []
      for (let index = 0; index < area().length; index += 1) {
        const key = area().key(index)
        if (key !== null) keys.push(key)
      }
      return keys
    },
    subscribe: listen,
  }
}

/** The listeners of one entry, which are notified of other tabs' writes, and of this tab's by `notify`. */
export function listenersOf(storage: GuardedStorage, key: string) {
  const listeners = createListeners()
  storage.subscribe(changedKey => {
    if (changedKey === null || changedKey === key) listeners.notify()
  })
  listenToReturn(listeners.notify)
  return listeners
}

/** A page that the browser froze and shows again has missed what other tabs wrote. */
function listenToReturn(listener: () => void): void {
  if (typeof window === 'undefined') return
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) listener()
  })
}

function listenToOtherTabs(listener: Parameters<GuardedStorage['subscribe']>[0]): () => void {
  if (typeof window === 'undefined') return () => undefined
  const onStorage = (event: StorageEvent) => {
    // Session storage fires the same event in same-origin frames; clearing an area has no key.
    if (event.storageArea === null || event.storageArea === findArea('localStorage')) {
      listener(event.key, event.newValue)
    }
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** The browser's own local storage. On the server it is an empty memory that nobody writes to. */
export const guardedStorage = createGuardedStorage(
  () => openArea('localStorage'),
  listenToOtherTabs,
  storageFullStore.open,
)
