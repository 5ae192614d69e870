import { chatAddress, conversationIdOf, isChatAddress } from '@/lib/i18n/chat-address'
import { historyStore } from '@/lib/local/archive/history-store'
import { foldQuery, foldText } from '@/lib/local/archive/search-history'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { type Conversation, type Message, messageText } from '@/lib/local/domain/conversation'
import { showTurn } from '@/lib/local/domain/turns'
import { createExternalStore } from '@/lib/local/storage/external-store'

let hasBegun = false

/**
 * True for the first who asks, unless somebody has chosen what to show before: then a visit continues a
 * conversation by itself. Coming back from a top-up does not.
 */
export function beginVisit(): boolean {
  const isFirst = !hasBegun
  hasBegun = true
  return isFirst
}

export function startNewChat(): void {
  beginVisit()
  showConversation(null)
}

/**
 * Shows a conversation, null being a new chat, as a step of its own in the browser's history. Beside the chat
 * nothing is written: the chat writes the address when it comes.
 */
export function showConversation(id: string | null): void {
  const { pathname } = window.location
  if (isChatAddress(pathname) && conversationIdOf(pathname) !== id) {
    window.history.pushState(null, '', chatAddress(pathname, id))
  }
  selectedConversationStore.select(id)
}

interface Sought {
  readonly conversationId: string
  readonly query: string
}

/** What a search was for whose result was opened, until its place has been looked up. */
export const soughtStore = createExternalStore<Sought | null>(null)

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
