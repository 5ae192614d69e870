import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { browserExchanges } from './browser-exchanges'

interface DeleteTexts {
  deleted: string
  undo: string
}

/** Deletes at once and offers to undo it; an answer still on its way is stopped first. */
export async function deleteConversation(id: string, texts: DeleteTexts): Promise<void> {
  const wasSelected = selectedConversationStore.selectedId() === id
  for (const message of conversationStore.get(id)?.messages ?? []) {
    if (message.id !== undefined && message.status === 'streaming') browserExchanges.stop(message.id)
  }
  await historyStore.delete(id)
  noticeStore.show('info', texts.deleted, {
    label: texts.undo,
    run: () => {
      const restored = conversationStore.undoDelete()
      if (restored && wasSelected) selectedConversationStore.select(restored.id)
      noticeStore.hide()
    },
  })
}
