import { focusAfterRender, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { allMessages } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { stopAnswers } from './stop-answers'

interface DeleteTexts {
  deleted: string
  undo: string
}

/** Deletes at once and offers to undo it. Answers in progress are stopped first. */
export async function deleteConversation(id: string, texts: DeleteTexts): Promise<void> {
  const wasSelected = selectedConversationStore.selectedId() === id
  const conversation = conversationStore.get(id)
  if (conversation) stopAnswers(allMessages(conversation))
  await historyStore.delete(id)
  noticeStore.offerUndo(texts.deleted, texts.undo, () => {
    const restored = conversationStore.undoDelete()
    if (!restored) return
    if (wasSelected) selectedConversationStore.select(restored.id)
    focusAfterRender(linkSelector(restored.id), `#${MESSAGE_BOX_ID}`)
  })
}

/** Selects a conversation's link in the list. */
export function linkSelector(id: string): string {
  return `[data-conversation=${JSON.stringify(id)}] > a`
}
