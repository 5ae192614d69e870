import type { ExternalStore } from './external-store'
import { type GuardedStorage, listenersOf } from './guarded-storage'

export interface TextStore extends ExternalStore<string | null> {
  /** False when local storage is full. */
  write(text: string): boolean
  remove(): void
  /** After somebody else in this tab has written it: an import. */
  refresh(): void
}

/** One entry of local storage that is a text of its own, followed in every tab. */
export function createTextStore(
  storage: GuardedStorage,
  key: string,
  /** What the entry's text is worth; null for nothing. */
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
