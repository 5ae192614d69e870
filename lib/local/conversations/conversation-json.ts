import { oncePer } from '@/lib/http/domain/once-per'
import type { Conversation, Message } from '../domain/conversation'

const texts = new WeakMap<Conversation, string>()

/** A conversation in its stored form; made only once, because conversations are immutable. */
export function conversationJson(conversation: Conversation): string {
  const known = texts.get(conversation)
  if (known !== undefined) return known
  const text = JSON.stringify(conversation)
  texts.set(conversation, text)
  return text
}

/** The same text, for one that is written repeatedly as it grows: only its new messages are serialized. */
export function growingConversationJson(conversation: Conversation): string {
  const known = texts.get(conversation)
  if (known !== undefined) return known
  const fields = Object.entries(conversation).flatMap(([name, value]) => {
    const isMessages = name === 'messages' || name === 'branches'
    const text = isMessages && value !== undefined ? messagesJson(value) : JSON.stringify(value)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  const text = `{${fields.join(',')}}`
  texts.set(conversation, text)
  return text
}

function messagesJson(messages: readonly Message[]): string {
  return `[${messages.map(messageJson).join(',')}]`
}

const messageJson = oncePer((message: Message) => JSON.stringify(message))
