import { createExternalStore } from '@/lib/local/storage/external-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { PLAIN_KEYS_KEY } from '@/lib/local/storage/storage-keys'
import { createTextStore } from '@/lib/local/storage/text-store'

/** Whether the list of shortcuts is open. */
export const shortcutListStore = createExternalStore(false)

/** `off` disables shortcuts without a modifier: dictation software may press keys that the person did not mean. */
export const plainKeysStore = createTextStore(guardedStorage, PLAIN_KEYS_KEY, text => text)

export function hasPlainKeys(): boolean {
  return plainKeysStore.getSnapshot() !== 'off'
}
