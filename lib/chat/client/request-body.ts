import { chooseContext } from '../domain/context-window'
import type { ContentPart, Conversation, Message } from '../domain/conversation'
import { textOf } from '../domain/edit-conversation'

/** The picture behind an address kept in a message, as a data URL; null when it is gone. */
export type ResolvePicture = (url: string) => Promise<string | null>

type ApiPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

interface ApiMessage {
  role: Message['role']
  content: string | ApiPart[]
}

const FALLBACK_DOCUMENT_NAME = 'document'

/**
 * The request whose answer goes into message `answerId`: what came before it, as far as the context
 * window reaches. The same conversation always gives the same text, so a repeat keeps its idempotency key.
 */
export async function buildRequestBody(
  conversation: Conversation,
  answerId: string,
  contextTokenCountMax: number,
  resolvePicture: ResolvePicture,
): Promise<string> {
  const answerIndex = conversation.messages.findIndex(({ id }) => id === answerId)
  const model = conversation.messages[answerIndex]?.model ?? conversation.model
  const before = conversation.messages.slice(0, Math.max(0, answerIndex)).filter(isSpoken)
  const messages = await Promise.all(
    chooseContext(before, contextTokenCountMax).map(message => toApiMessage(message, resolvePicture)),
  )
  return JSON.stringify({ model, messages, stream: true })
}

/** Answers that never came would only confuse the model. */
function isSpoken(message: Message): boolean {
  const known = message.role === 'user' || message.role === 'assistant' || message.role === 'system'
  return known && (message.role !== 'assistant' || textOf(message) !== '')
}

async function toApiMessage(message: Message, resolvePicture: ResolvePicture): Promise<ApiMessage> {
  const { role, content } = message
  if (typeof content === 'string') return { role, content }
  // Pictures in an answer are not sent back: few models take them from that side.
  if (role !== 'user') return { role, content: textOf(message) }
  const parts = await Promise.all(content.map(part => toApiParts(part, resolvePicture)))
  return { role, content: parts.flat() }
}

async function toApiParts(part: ContentPart, resolvePicture: ResolvePicture): Promise<ApiPart[]> {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'image_url': {
      const url = await resolvePicture(part.image_url.url)
      return url === null ? [] : [{ type: 'image_url', image_url: { url } }]
    }
    case 'document_url': {
      const { url, name } = part.document_url
      if (!url.startsWith('data:')) return []
      return [{ type: 'file', file: { filename: name ?? FALLBACK_DOCUMENT_NAME, file_data: url } }]
    }
    default:
      return []
  }
}
