import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { type Conversation, type Message, messageText } from '@/lib/local/domain/conversation'
import { foldQuery, foldText } from '@/lib/local/domain/fold-text'
import { showTurn } from '@/lib/local/domain/turns'
import { beginVisit, openedSearchStore, showConversation } from './select-conversation'

/** Opens a conversation from storage or the archive; with a query, at the place that the search found. */
export async function openConversation(id: string, query?: string): Promise<void> {
  beginVisit()
  openedSearchStore.set(query === undefined ? null : { conversationId: id, query })
  const conversation = await historyStore.open(id)
  if (!conversation) return
  if (query !== undefined) showBranchWith(conversation, query)
  showConversation(conversation.id)
}

/** Shows the branch that contains the match, if it is hidden. */
function showBranchWith(conversation: Conversation, query: string): void {
  const [term = ''] = foldQuery(query)
  const holds = (message: Message): boolean => foldText(messageText(message)).includes(term)
  const hidden = conversation.messages.some(holds) ? undefined : conversation.branches?.find(holds)
  if (hidden?.id !== undefined) conversationStore.saveConversation(showTurn(conversation, hidden.id))
}

/**
 * Opens the conversation that many places further down the list. A new chat comes before the first one.
 *
 * @returns its title; null at the end of the list
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
