import type { Conversation, Message } from '@/lib/chat/domain/conversation'

const TITLE_LENGTH_MAX = 80

export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content
  return message.content.map(part => (part.type === 'text' ? part.text : '')).join(' ')
}

export function conversationText(conversation: Conversation): string {
  const texts = conversation.messages.map(messageText)
  return conversation.title ? [conversation.title, ...texts].join('\n') : texts.join('\n')
}

/** The given title, or the beginning of what was asked first; empty when there is neither. */
export function conversationTitle(conversation: Conversation): string {
  if (conversation.title?.trim()) return conversation.title.trim()
  const asked = conversation.messages.find(message => message.role === 'user') ?? conversation.messages[0]
  const text = asked ? messageText(asked).replace(/\s+/g, ' ').trim() : ''
  return text.length <= TITLE_LENGTH_MAX ? text : `${text.slice(0, TITLE_LENGTH_MAX).trimEnd()}…`
}
