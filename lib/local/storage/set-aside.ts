import { createExternalStore } from './external-store'
import type { GuardedStorage } from './guarded-storage'
import { DAMAGED_COPY_COUNT_MAX } from './storage-limits'

const DAMAGED_KEY_PATTERN = /^.+\.damaged\.\d+$/

/** How many damaged stores this visit set aside, for the person to be told. */
export const setAsideCountStore = createExternalStore(0)

/**
 * Moves what cannot be read out of the way of coming writes, into the first free `<key>.damaged.<n>`.
 * The original is removed first, because both together may not fit; it comes back when the move fails.
 * False when there is no room: then the key must not be written to.
 */
export function setAsideItem(storage: GuardedStorage, key: string): boolean {
  const text = storage.read(key)
  if (text === null) return true
  storage.remove(key)
  if (setAsideText(storage, key, text)) return true
  storage.write(key, text)
  return false
}

/** Keeps the unreadable part of a store whose rest was read; see `setAsideItem`. */
export function setAsideText(storage: GuardedStorage, key: string, text: string): boolean {
  for (let copy = 1; copy <= DAMAGED_COPY_COUNT_MAX; copy += 1) {
    const copyKey = `${key}.damaged.${copy}`
    const existing = storage.read(copyKey)
    if (existing === text) return true
    if (existing !== null) continue
    if (!storage.write(copyKey, text)) return false
    setAsideCountStore.set(setAsideCountStore.getSnapshot() + 1)
    return true
  }
  return false
}

export function damagedKeys(storage: GuardedStorage): string[] {
  return storage.keys().filter(key => DAMAGED_KEY_PATTERN.test(key))
}

/** What was set aside, by the keys that it lies under: for the person to keep in a file. */
export function readSetAside(storage: GuardedStorage): Record<string, string> {
  return Object.fromEntries(damagedKeys(storage).map(key => [key, storage.read(key) ?? '']))
}

export function deleteSetAside(storage: GuardedStorage): void {
  for (const key of damagedKeys(storage)) storage.remove(key)
  setAsideCountStore.set(0)
}
