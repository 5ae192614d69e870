import { conversationBytes } from '../conversations/is-too-large'
import type { GuardedStorage } from './guarded-storage'
import { damagedKeys } from './set-aside'
import { STORAGE_BYTES_MAX } from './storage-limits'

export interface StorageUsage {
  usedBytes: number
  maxBytes: number
  conversationBytes: number
  damagedBytes: number
  damagedCount: number
}

/** The size of local storage, in the unit in which browsers count against its quota. */
export function measureUsage(storage: GuardedStorage): StorageUsage {
  const bytesOf = (keys: string[]) =>
    keys.reduce((sum, key) => sum + key.length + (storage.read(key)?.length ?? 0), 0)
  const damaged = damagedKeys(storage)
  return {
    usedBytes: bytesOf(storage.keys()),
    maxBytes: STORAGE_BYTES_MAX,
    conversationBytes: conversationBytes(storage),
    damagedBytes: bytesOf(damaged),
    damagedCount: damaged.length,
  }
}
