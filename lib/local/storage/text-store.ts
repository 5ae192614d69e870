import type { ExternalStore } from './external-store'
import { type GuardedStorage, listenersOf } from './guarded-storage'

export interface TextStore extends ExternalStore<string | null> {
  /** Returns false if local storage is full. */
  write(text: string): boolean
  remove(): void
  /** Call after other code in this tab has written it: an import. */
  refresh(): void
}

/** One text entry of local storage, kept in sync across tabs. */
export function createTextStore(
  storage: GuardedStorage,
  key: string,
  /** The value of the entry's text; null for none. */
  parse: (text: string) => string | null,
): TextStore {
  const { subscribe, notify } = listenersOf(storage, key)
  return {
    subscribe,
    getSnapshot() {
      const text = storage.read(key)
      return text === null ? null : parse(text)
    },
    getServerSnapshot: () => null,
    write(text) {
      const isWritten = storage.write(key, text)
      notify()
      return isWritten
    },
    remove() {
      storage.remove(key)
      notify()
    },
    refresh: notify,
  }
}
