import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { ContentPart, DocumentPart, Message } from '@/lib/local/domain/conversation'

/** Role and separators that chat templates add to each message. */
const TOKENS_PER_MESSAGE = 4
/** A picture of the size we send, as the common vision models count it. */
const TOKENS_PER_IMAGE = 800
/** A document that does not say how long it is; a few pages of text. */
const TOKENS_PER_DOCUMENT = 3000

/** More is no count but damage, or a file made to show nonsense. */
const DOCUMENT_TOKEN_COUNT_MAX = 10_000_000

/** A guess for showing; what is charged is what the upstream counts. */
export function countMessageTokens(message: Pick<Message, 'content'>): number {
  return countTokens(message, countDocumentTokens)
}

/**
 * The same for choosing history. A document goes along with the words beside it: counted in full, it
 * would be forgotten by the first question about it.
 */
export function countContextTokens(message: Pick<Message, 'content'>): number {
  return countTokens(message, () => 0)
}

function countTokens({ content }: Pick<Message, 'content'>, ofDocument: (part: DocumentPart) => number) {
  if (typeof content === 'string') return TOKENS_PER_MESSAGE + estimateTokens(content)
  return content.reduce((sum, part) => sum + countPartTokens(part, ofDocument), TOKENS_PER_MESSAGE)
}

function countDocumentTokens({ document_url: { token_count: count } }: DocumentPart): number {
  const isKnown = typeof count === 'number' && count >= 0 && count <= DOCUMENT_TOKEN_COUNT_MAX
  return isKnown ? count : TOKENS_PER_DOCUMENT
}

function countPartTokens(part: ContentPart, ofDocument: (part: DocumentPart) => number): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'image_url':
      return TOKENS_PER_IMAGE
    case 'document_url':
      return ofDocument(part)
    default:
      // A part of a newer version's, which is not sent.
      return 0
  }
}
