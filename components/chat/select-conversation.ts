import { chatAddress, conversationIdOf, isChatAddress } from '@/lib/i18n/chat-address'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
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
