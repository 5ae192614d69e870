import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { ChatRequest } from './chat-request'

/** A picture of ordinary size in the common vision models. */
const TOKENS_PER_IMAGE = 800
const TOKENS_PER_MESSAGE = 4

/**
 * About how many tokens the prompt has, for when the upstream tells no count: an estimate, where
 * `boundPrompt` is a bound. Files count nothing; what is in them is the upstream's to tell.
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
  return part.type === 'image_url' ? TOKENS_PER_IMAGE : 0
}
