import { createExternalStore } from './external-store'
import type { GuardedStorage } from './guarded-storage'
import { DAMAGED_COPY_COUNT_MAX } from './storage-limits'

const DAMAGED_KEY_PATTERN = /^(.+)\.damaged\.\d+$/

/** The key of which this one is a copy that was set aside; any other key as it is. */
export function setAsideFrom(key: string): string {
  return key.replace(DAMAGED_KEY_PATTERN, '$1')
}

/** The keys whose text was set aside during this visit, so that the person can be told. */
export const setAsideStore = createExternalStore<readonly string[]>([])

/**
 * Moves what cannot be read to the first free `<key>.damaged.<n>`, so that later writes do not destroy it. The original
 * is removed first, because both may not fit; it is restored if the move fails. Returns false if there is no room; then
 * the key must not be written to.
 */
export function setAsideItem(storage: GuardedStorage, key: string): boolean {
  const text = storage.read(key)
  if (text === null) return true
  storage.remove(key)
  if (setAsideText(storage, key, text)) return true
  storage.write(key, text)
  return false
}

/** Sets aside the unreadable part of a store whose rest was read; see `setAsideItem`. */
export function setAsideText(storage: GuardedStorage, key: string, text: string): boolean {
  for (let copy = 1; copy <= DAMAGED_COPY_COUNT_MAX; copy += 1) {
    const copyKey = `${key}.damaged.${copy}`
    const existing = storage.read(copyKey)
    if (existing === text) return true
    if (existing !== null) continue
    if (!storage.write(copyKey, text)) return false
    setAsideStore.set([...setAsideStore.getSnapshot(), key])
    return true
  }
  return false
}

export function damagedKeys(storage: GuardedStorage): string[] {
  return storage.keys().filter(key => DAMAGED_KEY_PATTERN.test(key))
}

/** What was set aside, by its keys, so that the person can save it to a file. */
export function readSetAside(storage: GuardedStorage): Record<string, string> {
  return Object.fromEntries(damagedKeys(storage).map(key => [key, storage.read(key) ?? '']))
}

/** The distinct texts that were set aside from one key, separated by line feeds: a snapshot that keeps its identity. */
export function setAsideTexts(storage: GuardedStorage, key: string): string {
  const texts = damagedKeys(storage).map(copy => (setAsideFrom(copy) === key ? storage.read(copy) : null))
  return texts.filter(text => text !== null).join('\n')
}

export function deleteSetAside(storage: GuardedStorage): void {
  for (const key of damagedKeys(storage)) storage.remove(key)
  setAsideStore.set([])
}
