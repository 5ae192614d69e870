import type { Conversation } from '../domain/conversation'
import { isSameJson } from '../storage/json'
import { lastChangeMs } from './conversation-time'

/** Ids of conversations taken out of local storage (deleted or archived) -> when, in epoch milliseconds. */
export type Removals = ReadonlyMap<string, number>

/**
 * What several copies of the history amount to: per id the newest write, unless it was removed after
 * that. The order of the sources does not matter, so tabs that know the same things agree.
 */
export function mergeConversations(
  sources: readonly (readonly Conversation[])[],
  removals: Removals,
): Map<string, Conversation> {
  const merged = new Map<string, Conversation>()
  for (const source of sources) {
    for (const conversation of source) {
      const known = merged.get(conversation.id)
      merged.set(conversation.id, known ? newerOf(known, conversation) : conversation)
    }
  }
  for (const [id, removedMs] of removals) {
    const conversation = merged.get(id)
    if (conversation && lastChangeMs(conversation) <= removedMs) merged.delete(id)
  }
  return merged
}

/** The same object comes back when both are equal, so that snapshots keep their identity. */
export function newerOf(left: Conversation, right: Conversation): Conversation {
  const difference = lastChangeMs(left) - lastChangeMs(right) || left.messages.length - right.messages.length
  if (difference !== 0) return difference > 0 ? left : right
  if (isSameJson(left, right)) return left
  // Written in the same millisecond by two tabs: any rule will do that both tabs follow.
  return JSON.stringify(left) >= JSON.stringify(right) ? left : right
}

/** The later of two removals counts. */
export function mergeRemovals(left: Removals, right: Removals): Map<string, number> {
  const merged = new Map(left)
  for (const [id, removedMs] of right) merged.set(id, Math.max(removedMs, merged.get(id) ?? removedMs))
  return merged
}
