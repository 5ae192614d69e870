import { isObject } from '@/lib/http/domain/is-object'
import type { GuardedStorage } from '../storage/guarded-storage'
import { parseStored } from '../storage/json'
import { REMOVED_CONVERSATIONS_KEY } from '../storage/storage-keys'
import type { Removals } from './merge-conversations'

/**
 * A removal has to be known only as long as another tab may still hold the conversation in its memory;
 * a thousand outlast any such tab and take 60 kB.
 */
const REMOVAL_COUNT_MAX = 1_000

/** Unreadable removals are no loss: at worst a deleted conversation comes back. */
export function readRemovals(storage: GuardedStorage): Map<string, number> {
  const stored = parseStored(storage.read(REMOVED_CONVERSATIONS_KEY))
  const removals = new Map<string, number>()
  if (!isObject(stored)) return removals
  for (const [id, removedMs] of Object.entries(stored)) {
    if (typeof removedMs === 'number') removals.set(id, removedMs)
  }
  return removals
}

export function writeRemovals(storage: GuardedStorage, removals: Removals): boolean {
  const newest = [...removals].sort((left, right) => right[1] - left[1]).slice(0, REMOVAL_COUNT_MAX)
  return storage.write(REMOVED_CONVERSATIONS_KEY, JSON.stringify(Object.fromEntries(newest)))
}
