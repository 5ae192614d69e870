import { historyStore } from '@/lib/local/archive/history-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'

export function startNewChat(): void {
  selectedConversationStore.select(null)
}

/** Opens a conversation from wherever it is kept. */
export async function openConversation(id: string): Promise<void> {
  const conversation = await historyStore.open(id)
  if (conversation) selectedConversationStore.select(conversation.id)
}
