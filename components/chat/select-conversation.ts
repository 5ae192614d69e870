import { chatAddress, conversationIdOf, isChatAddress } from '@/lib/i18n/chat-address'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { createExternalStore } from '@/lib/local/storage/external-store'

let hasBegun = false

/**
 * True for the first caller, unless a conversation was chosen before; then the visit opens a conversation by itself.
 * Returning from a top-up is no new visit.
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
 * Shows a conversation, or a new chat for null, as a new entry in the browser's history. On other pages the address is
 * not changed; the chat does that when it opens.
 */
export function showConversation(id: string | null): void {
  const { pathname } = window.location
  if (isChatAddress(pathname) && conversationIdOf(pathname) !== id) {
    window.history.pushState(null, '', chatAddress(pathname, id))
  }
  selectedConversationStore.select(id)
}

interface OpenedSearch {
  readonly conversationId: string
  readonly query: string
}

/** The search whose result was opened, until its place has been found. */
export const openedSearchStore = createExternalStore<OpenedSearch | null>(null)
