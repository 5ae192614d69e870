import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import type {
  AnswerErrorCode,
  ContentPart,
  Conversation,
  Message,
  Timing,
} from '@/lib/local/domain/conversation'
import { findTurn, replaceMessage } from '@/lib/local/domain/turns'
import { keepPicture } from '@/lib/local/images/pictures'
import { type Answer, CONNECTION_LOST, type ExchangeResult, NOTHING_CHARGED, REST_LOST } from './answer'
import type { PendingExchange } from './pending-exchanges'

/** Where an answer belongs. */
export type Place = Pick<PendingExchange, 'conversationId' | 'messageId'>

export function findMessage({ conversationId, messageId }: Place): Message | null {
  const conversation = conversationStore.get(conversationId)
  return conversation && findTurn(conversation, messageId)
}

/**
 * Finds the place of an answer that may have been paid for. Its conversation may have been archived, or lost by a
 * damaged disk or another program. If somebody deleted it, there is no place.
 */
export async function findPlace(exchange: PendingExchange, last?: Conversation): Promise<void> {
  const { conversationId: id, messageId } = exchange
  if (findMessage(exchange)) return
  // Without a database there is no archive either.
  await historyStore.open(id).catch(() => undefined)
  if (findMessage(exchange) || conversationStore.isRemoved(id, messageId)) return
  const created_at = new Date(exchange.startedAtMs).toISOString()
  const answer: Message = { role: 'assistant', id: messageId, content: '', created_at, status: 'streaming' }
  const known = conversationStore.get(id) ?? { id, created_at, messages: [] }
  conversationStore.saveConversation(last ?? { ...known, messages: [...known.messages, answer] })
}

/** Changes nothing if the conversation, or the message, was deleted meanwhile. */
export function changeAnswer(place: Place, edit: (message: Message) => Message): void {
  const message = findMessage(place)
  const next = message && edit(message)
  if (next && next !== message)
    conversationStore.change(place.conversationId, current => replaceMessage(current, next))
}

/** The conversation with the answer so far; null if the answer has ended, or was deleted. */
export function draftOf(exchange: PendingExchange, answer: Answer): Conversation | null {
  const current = conversationStore.get(exchange.conversationId)
  const message = findMessage(exchange)
  if (!current || message?.status !== 'streaming') return null
  return replaceMessage(current, withAnswer(message, exchange, answer))
}

/** While an answer is fetched again after a reload, what was already shown stays. */
export function withAnswer(message: Message, { exchangeId }: PendingExchange, answer: Answer): Message {
  const { content } = message
  const isBehind = typeof content === 'string' && answer.text.length < content.length
  return {
    ...message,
    content: isBehind ? content : answer.text,
    reasoning: answer.reasoning || undefined,
    ...(answer.citations.length > 0 && { annotations: [...answer.citations] }),
    ...(answer.toolCalls.length > 0 && { tool_calls: [...answer.toolCalls] }),
    ...(exchangeId === null ? {} : { exchange_id: exchangeId }),
  }
}

/** Errors after which an answer may have been charged. Any other error is a refusal, which costs nothing. */
const UNTOLD: readonly AnswerErrorCode[] = [CONNECTION_LOST.code, REST_LOST.code, 'internal_error']

/** The message once its answer has ended; its pictures are stored first. */
export async function endOf(
  exchange: PendingExchange,
  { status, answer, error }: ExchangeResult,
  { endedAt, timing }: { endedAt: string; timing?: Timing },
): Promise<(message: Message) => Message> {
  const pictures = await Promise.all(answer.imageUrls.map(url => pictureOf(url, endedAt)))
  const text: ContentPart[] = answer.text === '' ? [] : [{ type: 'text', text: answer.text }]
  const isRefused = error !== null && !UNTOLD.includes(error.code)
  const { receipt, balanceUsd: left_usd } = answer
  const isLimited = answer.finishReason === 'length' && left_usd !== null
  const isFree = isRefused && answer.reasoning === '' && text.length + pictures.length === 0
  return message => {
    const written = withAnswer(message, exchange, answer)
    const whole = pictures.length > 0 ? [...text, ...pictures] : answer.text
    return {
      ...written,
      content: status === 'completed' || pictures.length > 0 ? whole : written.content,
      status,
      receipt: receipt
        ? { ...receipt, ...(isLimited && { left_usd }) }
        : isFree
          ? NOTHING_CHARGED
          : undefined,
      error_code: error?.code,
      finish_reason: answer.finishReason ?? undefined,
      ...(timing && { timing }),
    }
  }
}

async function pictureOf(url: string, createdAt: string): Promise<ContentPart> {
  return { type: 'image_url', image_url: { url: await keepPicture(url, createdAt), created_at: createdAt } }
}
