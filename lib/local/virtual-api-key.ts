import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { VIRTUAL_API_KEY_KEY } from './storage/storage-keys'

/** The form that the server takes a key in. */
const API_KEY_PATTERN = /^sk-[A-Za-z0-9_-]{20,128}$/

/** The key that earlier versions kept instead of a credit_id; null when there is none, or no usable one. */
export function readVirtualApiKey(storage: GuardedStorage = guardedStorage): string | null {
  const key = storage.read(VIRTUAL_API_KEY_KEY)?.replaceAll('"', '').trim() ?? ''
  return API_KEY_PATTERN.test(key) ? key : null
}

/** Once the person has it somewhere else, or does not want it any more. */
export function removeVirtualApiKey(storage: GuardedStorage = guardedStorage): void {
  storage.remove(VIRTUAL_API_KEY_KEY)
}
