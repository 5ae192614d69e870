import type { ContentPart, Message } from './conversation'

/** Latin prose averages about four characters a token in the common tokenizers. */
const ASCII_CHARACTERS_PER_TOKEN = 4
/** Other scripts take about one token for every one to two characters; we assume the dearer. */
const OTHER_CHARACTERS_PER_TOKEN = 1.3
/** Role and separators that chat templates add to each message. */
const TOKENS_PER_MESSAGE = 4
/** A picture of the size we send, as the common vision models count it. */
const TOKENS_PER_IMAGE = 800
/** A document's pages are unknown here; a few pages of text. */
const TOKENS_PER_DOCUMENT = 3000

/** A guess for showing and for choosing history; what is charged is what the upstream counts. */
export function countTextTokens(text: string): number {
  let otherCount = 0
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) otherCount += 1
  }
  const asciiCount = text.length - otherCount
  return Math.ceil(asciiCount / ASCII_CHARACTERS_PER_TOKEN + otherCount / OTHER_CHARACTERS_PER_TOKEN)
}

export function countMessageTokens(message: Pick<Message, 'content'>): number {
  const { content } = message
  if (typeof content === 'string') return TOKENS_PER_MESSAGE + countTextTokens(content)
  return content.reduce((sum, part) => sum + countPartTokens(part), TOKENS_PER_MESSAGE)
}

function countPartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return countTextTokens(part.text)
    case 'image_url':
      return TOKENS_PER_IMAGE
    case 'document_url':
      return TOKENS_PER_DOCUMENT
    default:
      // A part of a newer version's, which is not sent.
      return 0
  }
}
