import { type ContentPart, type Conversation, type Message, textOf } from '@/lib/local/domain/conversation'
import { chooseContext } from './context-window'
import {
  DOCUMENT_CHARACTERS_MAX,
  type DocumentApiPart,
  type DocumentRoom,
  type ResolveDocument,
  toDocumentParts,
} from './document-parts'

/** The picture behind an address kept in a message, as a data URL; null when it is gone. */
export type ResolvePicture = (url: string) => Promise<string | null>

export interface ResolveParts {
  readonly picture: ResolvePicture
  readonly document: ResolveDocument
}

type ApiPart = DocumentApiPart | { type: 'image_url'; image_url: { url: string } }

interface ApiMessage {
  role: Message['role']
  content: string | ApiPart[]
}

/**
 * The request whose answer goes into message `answerId`: what came before it, as far as the context
 * window reaches. The same conversation always gives the same text, so a repeat keeps its idempotency key.
 */
export async function buildRequestBody(
  conversation: Conversation,
  answerId: string,
  contextTokenCountMax: number,
  resolve: ResolveParts,
): Promise<string> {
  const answerIndex = conversation.messages.findIndex(({ id }) => id === answerId)
  const answer = conversation.messages[answerIndex]
  const model = answer?.model ?? conversation.model
  const before = conversation.messages.slice(0, Math.max(0, answerIndex)).filter(isSpoken)
  const room: DocumentRoom = {
    takesFiles: answer?.takes_files === true,
    resolve: resolve.document,
    leftCharacters: DOCUMENT_CHARACTERS_MAX,
  }
  const messages: ApiMessage[] = []
  // The newest first, and one after the other: what there is no room for are the oldest documents.
  for (const message of [...chooseContext(before, contextTokenCountMax)].reverse()) {
    messages.unshift(await toApiMessage(message, resolve.picture, room))
  }
  return JSON.stringify({ model, messages, stream: true })
}

/** Answers that never came would only confuse the model. */
function isSpoken(message: Message): boolean {
  const known = message.role === 'user' || message.role === 'assistant' || message.role === 'system'
  return known && (message.role !== 'assistant' || textOf(message) !== '')
}

async function toApiMessage(
  message: Message,
  resolvePicture: ResolvePicture,
  room: DocumentRoom,
): Promise<ApiMessage> {
  const { role, content } = message
  if (typeof content === 'string') return { role, content }
  // Pictures in an answer are not sent back: few models take them from that side.
  if (role !== 'user') return { role, content: textOf(message) }
  const parts: ApiPart[] = []
  for (const part of content) parts.push(...(await toApiParts(part, resolvePicture, room)))
  return { role, content: parts }
}

async function toApiParts(
  part: ContentPart,
  resolvePicture: ResolvePicture,
  room: DocumentRoom,
): Promise<ApiPart[]> {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'image_url': {
      const url = await resolvePicture(part.image_url.url)
      return url === null ? [] : [{ type: 'image_url', image_url: { url } }]
    }
    case 'document_url':
      return toDocumentParts(part, room)
    default:
      return []
  }
}
