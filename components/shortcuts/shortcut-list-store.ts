import { createEntryStore } from '@/lib/local/storage/entry-store'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { PLAIN_KEYS_KEY } from '@/lib/local/storage/storage-keys'

/** Whether the list of shortcuts is open. */
export const shortcutListStore = createExternalStore(false)

/** Whether there are shortcuts without a modifier: dictation software may press keys that the person did not mean. */
export const plainKeysStore = createEntryStore(guardedStorage, PLAIN_KEYS_KEY, text => text !== 'off')
