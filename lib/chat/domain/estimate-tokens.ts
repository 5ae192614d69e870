import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { ContentPart, Message } from './conversation'

/** Role and separators that chat templates add to each message. */
const TOKENS_PER_MESSAGE = 4
/** A picture of the size we send, as the common vision models count it. */
const TOKENS_PER_IMAGE = 800
/** A document's pages are unknown here; a few pages of text. */
const TOKENS_PER_DOCUMENT = 3000

/** A guess for showing and for choosing history; what is charged is what the upstream counts. */
export function countMessageTokens(message: Pick<Message, 'content'>): number {
  const { content } = message
  if (typeof content === 'string') return TOKENS_PER_MESSAGE + estimateTokens(content)
  return content.reduce((sum, part) => sum + countPartTokens(part), TOKENS_PER_MESSAGE)
}

function countPartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'image_url':
      return TOKENS_PER_IMAGE
    case 'document_url':
      return TOKENS_PER_DOCUMENT
    default:
      // A part of a newer version's, which is not sent.
      return 0
  }
}
