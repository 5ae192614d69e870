import type { Conversation, Message } from '../domain/conversation'
import { allMessages } from '../domain/turns'

/** When a conversation last changed, in epoch milliseconds; 0 if its dates cannot be read. */
export function lastChangeMs(conversation: Conversation): number {
  return Date.parse(conversation.updated_at ?? conversation.created_at) || 0
}

/**
 * When the last message was written, in epoch milliseconds: a new title or another model changes a conversation, but
 * not its place in the list. If no message has a date, the conversation's creation counts.
 */
export function lastMessageMs(conversation: Conversation): number {
  let last = ''
  for (const { created_at } of allMessages(conversation)) {
    if (created_at !== undefined && created_at > last) last = created_at
  }
  return Date.parse(last) || Date.parse(conversation.created_at) || 0
}

/** When a message was written; null for imported ones without a time. */
export function messageDate({ created_at: createdAt }: Message): Date | null {
  const date = new Date(createdAt ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

export function compareNewestFirst(left: Conversation, right: Conversation): number {
  return lastChangeMs(right) - lastChangeMs(left) || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}

/** The last instant that a date can represent; a stored date like that must not make writing impossible. */
const LAST_INSTANT_MS = 8_640_000_000_000_000

/** Sets the time of a write. Two writes within one clock tick are still ordered. */
export function stampChange(conversation: Conversation, known: Conversation | null, now: Date): Conversation {
  const afterKnownMs = known ? Math.min(lastChangeMs(known) + 1, LAST_INSTANT_MS) : 0
  const changedMs = Math.max(now.getTime(), afterKnownMs)
  return { ...conversation, updated_at: new Date(changedMs).toISOString() }
}
