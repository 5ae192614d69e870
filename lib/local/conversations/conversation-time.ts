import type { Conversation } from '../domain/conversation'
import { allMessages } from '../domain/turns'

/** When a conversation was last written to, in epoch milliseconds; 0 when its dates cannot be read. */
export function lastChangeMs(conversation: Conversation): number {
  const changed = Date.parse(conversation.updated_at ?? conversation.created_at)
  return Number.isNaN(changed) ? 0 : changed
}

/**
 * When the last message was written, in epoch milliseconds: a new title or another model changes a
 * conversation, but not its place among the others. Without messages that say when, its beginning counts.
 */
export function lastMessageMs(conversation: Conversation): number {
  let last = ''
  for (const { created_at } of allMessages(conversation)) {
    if (created_at !== undefined && created_at > last) last = created_at
  }
  return Date.parse(last) || Date.parse(conversation.created_at) || 0
}

export function compareNewestFirst(left: Conversation, right: Conversation): number {
  return lastChangeMs(right) - lastChangeMs(left) || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}

/** The last instant that a date can hold; a store with such a date must not become unwritable. */
const LAST_INSTANT_MS = 8_640_000_000_000_000

/** Stamps a write. Two writes within one clock tick still have an order. */
export function stampChange(conversation: Conversation, known: Conversation | null, now: Date): Conversation {
  const afterKnownMs = known ? Math.min(lastChangeMs(known) + 1, LAST_INSTANT_MS) : 0
  const changedMs = Math.max(now.getTime(), afterKnownMs)
  return { ...conversation, updated_at: new Date(changedMs).toISOString() }
}
