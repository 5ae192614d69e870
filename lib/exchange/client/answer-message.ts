import { conversationStore } from '@/lib/local/conversations/conversation-store'
import {
  type ContentPart,
  type Conversation,
  type Message,
  replaceMessage,
} from '@/lib/local/domain/conversation'
import { keepPicture } from '@/lib/local/images/pictures'
import type { Answer } from './answer'
import type { PendingExchange } from './pending-exchanges'

/** Where an answer belongs. */
export type Place = Pick<PendingExchange, 'conversationId' | 'messageId'>

export function findMessage({ conversationId, messageId }: Place): Message | null {
  return conversationStore.get(conversationId)?.messages.find(({ id }) => id === messageId) ?? null
}

/** The conversation with so much of the answer; null when the answer is over, or was deleted. */
export function draftOf(exchange: PendingExchange, answer: Answer): Conversation | null {
  const current = conversationStore.get(exchange.conversationId)
  const message = findMessage(exchange)
  if (!current || message?.status !== 'streaming') return null
  return replaceMessage(current, withAnswer(message, exchange, answer))
}

/** While an answer is fetched anew after a reload, what was already read stays. */
export function withAnswer(message: Message, { exchangeId }: PendingExchange, answer: Answer): Message {
  const { content } = message
  const isBehind = typeof content === 'string' && answer.text.length < content.length
  return {
    ...message,
    content: isBehind ? content : answer.text,
    reasoning: answer.reasoning || undefined,
    ...(exchangeId === null ? {} : { exchange_id: exchangeId }),
  }
}

export async function pictureOf(url: string, createdAt: string): Promise<ContentPart> {
  return { type: 'image_url', image_url: { url: await keepPicture(url, createdAt), created_at: createdAt } }
}
