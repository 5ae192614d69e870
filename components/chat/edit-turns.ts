import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { reopenComparison } from '@/lib/local/domain/comparisons'
import type { Conversation } from '@/lib/local/domain/conversation'
import { steeringOf } from '@/lib/local/domain/steering'
import { pathTo, removeTurn, restoreTurns, showTurn, withMessageIds } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { createUuid } from '@/lib/local/uuid'
import { stopAnswers } from './stop-answers'

/** Changes to a conversation's turns that involve no model. */

export function showVersion(conversationId: string, messageId: string): void {
  conversationStore.change(conversationId, conversation => showTurn(conversation, messageId))
}

/** Shows an answer side by side again with those that it was compared with. */
export function showSideBySide(conversationId: string, answerId: string): void {
  conversationStore.change(conversationId, conversation => reopenComparison(conversation, answerId))
}

interface DeleteOptions {
  /** The text of the notice, and the label of its button. */
  deleted: string
  undo: string
  onUndone?: () => void
}

/** Deletes a message and all that follow it, and offers to undo that. Answers in progress are stopped first. */
export function deleteTurn(conversationId: string, messageId: string, options: DeleteOptions): void {
  const now = () => conversationStore.get(conversationId)
  const remove = (from: Conversation | null) => from && removeTurn(withMessageIds(from), messageId)
  stopAnswers(remove(now())?.removed.messages ?? [])
  // A stop stores the answer so far.
  const base = now()
  const found = remove(base)
  if (!base || !found) return
  const { conversation: left, removed } = found
  conversationStore.saveConversation(left, base)
  noticeStore.offerUndo(options.deleted, options.undo, () => {
    conversationStore.change(conversationId, current => restoreTurns(current, removed))
    options.onUndone?.()
  })
}

/**
 * Starts a new conversation with the messages up to this one; the original stays unchanged.
 *
 * @returns the id of the new conversation
 */
export function copyUpTo(conversation: Conversation, messageId: string): string {
  const { model, title } = conversation
  const messages = pathTo(withMessageIds(conversation), messageId).map(
    ({ parent: _, status, ...message }) => ({
      ...message,
      id: createUuid(),
      // An answer in progress continues in the original only.
      status: status === 'streaming' ? ('stopped' as const) : status,
    }),
  )
  const copy = {
    id: createUuid(),
    created_at: new Date().toISOString(),
    messages,
    model,
    title,
    earlier_messages_max: conversation.earlier_messages_max,
    ...steeringOf(conversation),
  }
  conversationStore.saveConversation(copy)
  return copy.id
}
