import { focusAfterRender, focusMessageBox } from '@/components/ui/focus'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { pathTo, removeTurn, restoreTurns, showTurn, withMessageIds } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { createUuid } from '@/lib/local/uuid'
import { browserExchanges } from './browser-exchanges'

/** What somebody does with the turns of a conversation without asking a model. */

export function showVersion(conversationId: string, messageId: string): void {
  change(conversationId, conversation => showTurn(conversation, messageId))
  // It has the same buttons as the one that has gone; at the end of the row only the other one can be used.
  const message = messageSelector(messageId)
  const pressed = document.activeElement?.getAttribute('aria-label') ?? ''
  focusAfterRender(
    `${message} [data-versions] > [aria-label=${JSON.stringify(pressed)}]:enabled`,
    `${message} [data-versions] > :enabled`,
    message,
  )
}

function messageSelector(messageId: string): string {
  return `[data-message=${JSON.stringify(messageId)}]`
}

interface DeleteTexts {
  deleted: string
  undo: string
}

/** Takes a message out with all that follows it, and offers to undo that; answers on their way are stopped first. */
export function deleteTurn(conversationId: string, messageId: string, texts: DeleteTexts): void {
  const remove = () => {
    const conversation = conversationStore.get(conversationId)
    return conversation && removeTurn(withMessageIds(conversation), messageId)
  }
  for (const { id, status } of remove()?.removed.messages ?? []) {
    if (id !== undefined && status === 'streaming') browserExchanges.stop(id)
  }
  // A stop writes down what there was of the answer.
  const found = remove()
  if (!found) return
  const { conversation: left, removed } = found
  conversationStore.saveConversation(left)
  focusMessageBox()
  noticeStore.show('info', texts.deleted, {
    label: texts.undo,
    run: () => {
      change(conversationId, current => restoreTurns(current, removed))
      noticeStore.hide()
      focusAfterRender(messageSelector(messageId))
    },
  })
}

/** Goes on from a message in a conversation of its own; this one stays as it is. */
export function continueInNewChat(conversation: Conversation, messageId: string): void {
  const { model, title } = conversation
  const messages = pathTo(withMessageIds(conversation), messageId).map(
    ({ parent: _, status, ...message }) => ({
      ...message,
      id: createUuid(),
      // What is on its way goes to the original alone.
      status: status === 'streaming' ? ('stopped' as const) : status,
    }),
  )
  const copy = { id: createUuid(), created_at: new Date().toISOString(), messages, model, title }
  conversationStore.saveConversation(copy)
  selectedConversationStore.select(copy.id)
  focusMessageBox()
}

function change(conversationId: string, edit: (conversation: Conversation) => Conversation): void {
  const conversation = conversationStore.get(conversationId)
  if (conversation) conversationStore.saveConversation(edit(conversation))
}
