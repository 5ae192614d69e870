import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { ContentPart, DocumentPart, Message } from '@/lib/local/domain/conversation'

/** Role and separators that chat templates add to each message. */
export const TOKENS_PER_MESSAGE = 4
/** A picture of the size we send, as the common vision models count it. */
const TOKENS_PER_IMAGE = 800
/** A document that does not say how long it is; a few pages of text. */
const TOKENS_PER_DOCUMENT = 3000

/** More is no count but damage, or a file made to show nonsense. */
const DOCUMENT_TOKEN_COUNT_MAX = 10_000_000

const counts = new WeakMap<object, number>()

/** A guess for showing and for choosing; what is charged is what the upstream counts. */
export function countMessageTokens(message: Pick<Message, 'role' | 'content'>): number {
  const known = counts.get(message)
  if (known !== undefined) return known
  const count = countTokens(message)
  // A message never changes: an edit makes another one.
  counts.set(message, count)
  return count
}

function countTokens({ role, content }: Pick<Message, 'role' | 'content'>): number {
  if (typeof content === 'string') return TOKENS_PER_MESSAGE + estimateTokens(content)
  // Of what a model drew, its words alone are sent back.
  const sent = role === 'user' ? content : content.filter(({ type }) => type === 'text')
  return sent.reduce((sum, part) => sum + countPartTokens(part), TOKENS_PER_MESSAGE)
}

function countDocumentTokens({ document_url: { token_count: count } }: DocumentPart): number {
  const isKnown = typeof count === 'number' && count >= 0 && count <= DOCUMENT_TOKEN_COUNT_MAX
  return isKnown ? count : TOKENS_PER_DOCUMENT
}

export function countPartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'image_url':
      return TOKENS_PER_IMAGE
    case 'document_url':
      return countDocumentTokens(part)
    default:
      // A part of a newer version's, which is not sent.
      return 0
  }
}
