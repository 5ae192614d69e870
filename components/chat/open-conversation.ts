import { historyStore } from '@/lib/local/archive/history-store'
import { foldQuery, foldText } from '@/lib/local/archive/search-history'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { type Conversation, type Message, messageText } from '@/lib/local/domain/conversation'
import { showTurn } from '@/lib/local/domain/turns'
import { beginVisit, showConversation, soughtStore } from './select-conversation'

/** Opens a conversation from wherever it is kept; with a query, at the place where a search found it. */
export async function openConversation(id: string, query?: string): Promise<void> {
  beginVisit()
  soughtStore.set(query === undefined ? null : { conversationId: id, query })
  const conversation = await historyStore.open(id)
  if (!conversation) return
  if (query !== undefined) showBranchWith(conversation, query)
  showConversation(conversation.id)
}

/** What a search found may stand on a branch that is not the one to be seen. */
function showBranchWith(conversation: Conversation, query: string): void {
  const [term = ''] = foldQuery(query)
  const holds = (message: Message): boolean => foldText(messageText(message)).includes(term)
  const hidden = conversation.messages.some(holds) ? undefined : conversation.branches?.find(holds)
  if (hidden?.id !== undefined) conversationStore.saveConversation(showTurn(conversation, hidden.id))
}

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
