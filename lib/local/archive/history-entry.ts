import { oncePer } from '@/lib/http/domain/once-per'
import { conversationTitle } from '../conversations/conversation-text'
import { lastChangeMs, lastMessageMs } from '../conversations/conversation-time'
import type { Conversation } from '../domain/conversation'
import type { ArchivedSummary } from './archive-database'

/** One line of the history, wherever its conversation is stored. */
export interface HistoryEntry {
  id: string
  /** Empty if nothing has been written yet. */
  title: string
  /** Of two copies, the one that changed later counts. */
  changedMs: number
  /** When the last message was written: this determines the entry's place in the list. */
  writtenMs: number
  isArchived: boolean
}

/** The same object for the same conversation, so that a list only renders what changed. */
const entryOfConversation = oncePer(
  (conversation: Conversation): HistoryEntry => ({
    id: conversation.id,
    title: conversationTitle(conversation),
    changedMs: lastChangeMs(conversation),
    writtenMs: lastMessageMs(conversation),
    isArchived: false,
  }),
)

const entryOfSummary = oncePer(
  (summary: ArchivedSummary): HistoryEntry => ({
    id: summary.id,
    title: summary.title,
    changedMs: Date.parse(summary.updated_at) || 0,
    writtenMs: Date.parse(summary.written_at ?? summary.updated_at) || 0,
    isArchived: true,
  }),
)

/**
 * Most recently written first. If a conversation is in both places, the newer copy counts, or the local one if they are
 * equal.
 */
export function mergeEntries(
  conversations: readonly Conversation[],
  archived: readonly ArchivedSummary[],
): HistoryEntry[] {
  const merged = new Map(conversations.map(item => [item.id, entryOfConversation(item)]))
  for (const entry of archived.map(entryOfSummary)) {
    const here = merged.get(entry.id)
    if (!here || here.changedMs < entry.changedMs) merged.set(entry.id, entry)
  }
  return [...merged.values()].sort(
    (left, right) => right.writtenMs - left.writtenMs || right.changedMs - left.changedMs,
  )
}
