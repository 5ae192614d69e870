import { cutText } from '@/lib/http/domain/cut-text'
import { plainLine } from '@/lib/markdown/domain/plain-line'
import { type Conversation, documentsOf, type Message, messageText } from '../domain/conversation'
import { allMessages } from '../domain/turns'

const TITLE_LENGTH_MAX = 80
/** A title is made for each conversation in the list, so that long addresses and code are not read to the end. */
const READ_LENGTH_MAX = 4_000

function documentNames(message: Message): string {
  return documentsOf(message)
    .map(({ name }) => name ?? '')
    .join(' ')
}

/** The text that a search looks through: the words, and the names of the documents. */
export function conversationText(conversation: Conversation): string {
  const texts = allMessages(conversation).map(message =>
    `${messageText(message)} ${documentNames(message)}`.trim(),
  )
  return conversation.title ? [conversation.title, ...texts].join('\n') : texts.join('\n')
}

/**
 * The given title, or the beginning of the first question, or the name of its document; empty if there is none of
 * these.
 */
export function conversationTitle(conversation: Conversation): string {
  if (conversation.title?.trim()) return conversation.title.trim()
  const asked = conversation.messages.find(message => message.role === 'user') ?? conversation.messages[0]
  return asked ? messageTitle(asked) : ''
}

/**
 * The beginning of a message on one line and without Markdown, or the name of its document; empty if there is neither.
 */
export function messageTitle(message: Message): string {
  const beginning = messageText(message).trim().slice(0, READ_LENGTH_MAX)
  const text = (plainLine(beginning) || beginning || documentNames(message)).replace(/\s+/g, ' ').trim()
  return text.length <= TITLE_LENGTH_MAX ? text : `${cutText(text, TITLE_LENGTH_MAX).trimEnd()}…`
}
