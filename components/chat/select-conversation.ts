import { historyStore } from '@/lib/local/archive/history-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'

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
  selectedConversationStore.select(null)
}

/** Opens a conversation from wherever it is kept. */
export async function openConversation(id: string): Promise<void> {
  beginVisit()
  const conversation = await historyStore.open(id)
  if (conversation) selectedConversationStore.select(conversation.id)
}
