import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { reopenComparison } from '@/lib/local/domain/comparisons'
import type { Conversation } from '@/lib/local/domain/conversation'
import { steeringOf } from '@/lib/local/domain/steering'
import { pathTo, removeTurn, restoreTurns, showTurn, withMessageIds } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { createUuid } from '@/lib/local/uuid'
import { pageExchanges } from './page-exchanges'

/** What somebody does with the turns of a conversation without asking a model. */

export function showVersion(conversationId: string, messageId: string): void {
  conversationStore.change(conversationId, conversation => showTurn(conversation, messageId))
}

/** Puts an answer beside those again that it was compared with. */
export function showSideBySide(conversationId: string, answerId: string): void {
  conversationStore.change(conversationId, conversation => reopenComparison(conversation, answerId))
}

interface DeleteOptions {
  /** What the notice says, and its button. */
  deleted: string
  undo: string
  onUndone?: () => void
}

/** Takes a message out with all that follows it, and offers to undo that; answers on their way are stopped first. */
export function deleteTurn(conversationId: string, messageId: string, options: DeleteOptions): void {
  const now = () => conversationStore.get(conversationId)
  const remove = (from: Conversation | null) => from && removeTurn(withMessageIds(from), messageId)
  for (const { id, status } of remove(now())?.removed.messages ?? []) {
    if (id !== undefined && status === 'streaming') pageExchanges.stop(id)
  }
  // A stop writes down what there was of the answer.
  const base = now()
  const found = remove(base)
  if (!base || !found) return
  const { conversation: left, removed } = found
  conversationStore.saveConversation(left, base)
  noticeStore.show('info', options.deleted, {
    label: options.undo,
    run: () => {
      conversationStore.change(conversationId, current => restoreTurns(current, removed))
      noticeStore.hide()
      options.onUndone?.()
    },
  })
}

/**
 * Begins a conversation of its own with what was said up to a message; this one stays as it is.
 *
 * @returns the new one's id
 */
export function copyUpTo(conversation: Conversation, messageId: string): string {
  const { model, title } = conversation
  const messages = pathTo(withMessageIds(conversation), messageId).map(
    ({ parent: _, status, ...message }) => ({
      ...message,
      id: createUuid(),
      // What is on its way goes to the original alone.
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
