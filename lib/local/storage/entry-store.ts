import type { ExternalStore } from './external-store'
import { type GuardedStorage, listenersOf } from './guarded-storage'

export interface EntryStore<Value> extends ExternalStore<Value> {
  /** Returns false if local storage is full. */
  write(text: string): boolean
  remove(): void
  /** Call after other code in this tab has written it. */
  refresh(): void
}

/**
 * One entry of local storage, kept in sync across tabs.
 *
 * @param parse called again only if the text has changed, so that the value keeps its identity; null if there is none
 */
export function createEntryStore<Value>(
  storage: GuardedStorage,
  key: string,
  parse: (text: string | null) => Value,
): EntryStore<Value> {
  const { subscribe, notify } = listenersOf(storage, key)
  const none = { text: null as string | null, value: parse(null) }
  let seen = none
  return {
    subscribe,
    getSnapshot() {
      const text = storage.read(key)
      if (text !== seen.text) seen = { text, value: parse(text) }
      return seen.value
    },
    getServerSnapshot: () => none.value,
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
