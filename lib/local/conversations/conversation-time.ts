import type { Conversation } from '@/lib/chat/domain/conversation'

/** When a conversation was last written to, in epoch milliseconds; 0 when its dates cannot be read. */
export function lastChangeMs(conversation: Conversation): number {
  const changed = Date.parse(conversation.updated_at ?? conversation.created_at)
  return Number.isNaN(changed) ? 0 : changed
}

export function compareNewestFirst(left: Conversation, right: Conversation): number {
  return lastChangeMs(right) - lastChangeMs(left) || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}

/** Stamps a write. Two writes within one clock tick still have an order. */
export function stampChange(conversation: Conversation, known: Conversation | null, now: Date): Conversation {
  const changedMs = known ? Math.max(now.getTime(), lastChangeMs(known) + 1) : now.getTime()
  return { ...conversation, updated_at: new Date(changedMs).toISOString() }
}
