import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { isObject } from '@/lib/http/domain/is-object'
import type { ChatRequest } from './chat-request'

/** A picture of ordinary size in the common vision models. */
const TOKENS_PER_IMAGE = 800
const TOKENS_PER_MESSAGE = 4
/** Characters of base64 for each token of a file: a page of some 100 kB is about 3,000 tokens. */
const FILE_CHARACTERS_PER_TOKEN = 40
/** A short page, and a file of which only an address is known. */
const TOKENS_PER_FILE_MIN = 1_000
const FILE_PART_TYPES = new Set(['file', 'input_file'])

/**
 * About how many tokens the prompt has, for when the upstream tells no count: an estimate, where
 * `boundPrompt` is a bound. Files are guessed by their size: counted as nothing, they would be a present
 * of the operator's whenever an upstream forgets to count.
 */
export function estimatePrompt(request: ChatRequest): number {
  let tokenCount = request.tools ? estimateTokens(JSON.stringify(request.tools)) : 0
  for (const { content } of request.messages) {
    tokenCount += TOKENS_PER_MESSAGE
    if (typeof content === 'string') tokenCount += estimateTokens(content)
    else for (const part of content ?? []) tokenCount += estimatePart(part)
  }
  return tokenCount
}

function estimatePart(part: { type: string; [field: string]: unknown }): number {
  if (typeof part.text === 'string') return estimateTokens(part.text)
  if (part.type === 'image_url') return TOKENS_PER_IMAGE
  return FILE_PART_TYPES.has(part.type) ? estimateFile(part) : 0
}

function estimateFile(part: Record<string, unknown>): number {
  const file = isObject(part.file) ? part.file : part
  const characterCount = typeof file.file_data === 'string' ? file.file_data.length : 0
  return Math.max(TOKENS_PER_FILE_MIN, Math.ceil(characterCount / FILE_CHARACTERS_PER_TOKEN))
}
