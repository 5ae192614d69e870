import { historyStore } from '@/lib/local/archive/history-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { openConversation } from './select-conversation'

/**
 * Opens the conversation so many places further down the list; from a new chat on, the list begins.
 *
 * @returns its title; null where the list ends
 */
export async function openNeighbour(by: number): Promise<string | null> {
  await historyStore.load()
  const entries = historyStore.getSnapshot()
  const at = entries.findIndex(({ id }) => id === selectedConversationStore.selectedId())
  const entry = at + by < 0 ? undefined : entries[at + by]
  if (!entry) return null
  await openConversation(entry.id)
  return entry.title
}
