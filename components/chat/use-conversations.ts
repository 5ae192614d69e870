import { useSyncExternalStore } from 'react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'

/** Newest first; empty until the page runs in the browser. */
export function useConversations(): readonly Conversation[] {
  return useSyncExternalStore(
    conversationStore.subscribe,
    conversationStore.getSnapshot,
    conversationStore.getServerSnapshot,
  )
}

/** Null is a new chat. */
export function useSelectedConversation(): Conversation | null {
  return useSyncExternalStore(
    selectedConversationStore.subscribe,
    selectedConversationStore.getSnapshot,
    selectedConversationStore.getServerSnapshot,
  )
}
