import 'server-only'
import { countTokenQuarters } from './json-bytes'

const CONTENT = Buffer.from('"content"')
const REFUSAL = Buffer.from('"refusal"')
const ARGUMENTS = Buffer.from('"arguments"')
const REASONING = Buffer.from('"reasoning"')
const REASONING_CONTENT = Buffer.from('"reasoning_content"')
const IMAGE_DATA = Buffer.from('"data:image/')
/** Chunks of text are shorter than an image, and are not searched for one. */
const IMAGE_BYTES_MIN = 512
/** What the common image-making models count for a picture. */
const TOKENS_PER_IMAGE = 1_290
const QUARTERS_PER_TOKEN = 4

/** What has been handed to the reader, for when the upstream never tells its own count. */
export interface Delivered {
  outputTokenCount: number
  reasoningTokenCount: number
  hasOutput: boolean
}

export interface DeliveredCounter {
  count(bytes: Buffer): void
  delivered(): Delivered
}

/** Counts text, tool arguments, reasoning and images in complete events, without decoding them. */
export function createDeliveredCounter(): DeliveredCounter {
  let answerQuarters = 0
  let imageCount = 0
  // Some upstreams send the same reasoning under both names; it counts once.
  let reasoningQuarters = 0
  let reasoningContentQuarters = 0
  return {
    count(bytes) {
      answerQuarters += countTokenQuarters(bytes, CONTENT)
      answerQuarters += countTokenQuarters(bytes, ARGUMENTS)
      answerQuarters += countTokenQuarters(bytes, REFUSAL)
      reasoningQuarters += countTokenQuarters(bytes, REASONING)
      reasoningContentQuarters += countTokenQuarters(bytes, REASONING_CONTENT)
      if (bytes.length >= IMAGE_BYTES_MIN) imageCount += countOccurrences(bytes, IMAGE_DATA)
    },
    delivered() {
      const reasoningTokenCount = toTokens(Math.max(reasoningQuarters, reasoningContentQuarters))
      const outputTokenCount = toTokens(answerQuarters) + reasoningTokenCount + imageCount * TOKENS_PER_IMAGE
      return { outputTokenCount, reasoningTokenCount, hasOutput: outputTokenCount > 0 }
    },
  }
}

function toTokens(quarters: number): number {
  return Math.ceil(quarters / QUARTERS_PER_TOKEN)
}

function countOccurrences(bytes: Buffer, text: Buffer): number {
  let occurrenceCount = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) occurrenceCount += 1
  return occurrenceCount
}
