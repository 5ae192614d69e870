import { isObject } from '@/lib/http/domain/is-object'
import type { GuardedStorage } from '../storage/guarded-storage'
import { parseStored } from '../storage/json'
import { REMOVED_CONVERSATIONS_KEY } from '../storage/storage-keys'

/**
 * What was removed, and when in epoch milliseconds: conversations (deleted or archived) by id, single messages by
 * `removalOfMessage`.
 */
export type Removals = ReadonlyMap<string, number>

const MESSAGE_MARK = '/'

export function removalOfMessage(conversationId: string, messageId: string): string {
  return `${conversationId}${MESSAGE_MARK}${messageId}`
}

/** The conversations from which single messages were removed. */
export function idsWithRemovedMessages(removals: Removals): Set<string> {
  const marked = [...removals.keys()].filter(key => key.includes(MESSAGE_MARK))
  return new Set(marked.map(key => key.slice(0, key.lastIndexOf(MESSAGE_MARK))))
}

/** The later of two removals counts. */
export function mergeRemovals(left: Removals, right: Removals): Map<string, number> {
  const merged = new Map(left)
  for (const [id, removedMs] of right) merged.set(id, Math.max(removedMs, merged.get(id) ?? removedMs))
  return merged
}

/**
 * A removal only has to be known as long as another tab may still have the conversation in memory; a thousand outlast
 * any such tab and take 60 kB.
 */
const REMOVAL_COUNT_MAX = 1_000

/** Unreadable removals are no great loss: at worst a deleted conversation reappears. */
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
