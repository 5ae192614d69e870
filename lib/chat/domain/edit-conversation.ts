import type { Conversation, Message, Receipt } from './conversation'
import type { AnswerError } from './stream-event'
import type { Answer } from './stream-reducer'

/** The written part of a message. */
export function textOf(message: Pick<Message, 'content'>): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

export function replaceMessage(conversation: Conversation, message: Message): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map(one => (one.id === message.id ? message : one)),
  }
}

export function removeMessages(conversation: Conversation, messageIds: readonly string[]): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.filter(({ id }) => id === undefined || !messageIds.includes(id)),
  }
}

/** The message while its answer arrives. */
export function drawAnswer(message: Message, answer: Answer): Message {
  return { ...message, content: answer.text, reasoning: answer.reasoning || undefined }
}

export interface AnswerEnd {
  readonly status: 'completed' | 'stopped' | 'failed'
  readonly answer: Answer
  readonly error: AnswerError | null
  /** The server itself refused or failed the exchange, so nothing undelivered was charged. */
  readonly refused: boolean
}

/** The message once its answer has ended. An error without output costs nothing. */
export function finishMessage(message: Message, end: AnswerEnd): Message {
  const { answer, error } = end
  const empty = answer.text === '' && answer.imageUrls.length === 0
  return {
    ...drawAnswer(message, answer),
    status: end.status,
    receipt: answer.receipt ?? (end.refused && empty ? FREE : undefined),
    error_code: error?.code,
    finish_reason: answer.finishReason ?? undefined,
  }
}

const FREE: Receipt = { cost_usd: '0', input_token_count: 0, output_token_count: 0, estimated: false }
