import { DEFAULT_ANSWER_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import type { Model } from '@/lib/catalogue/domain/model'
import type { ChatRequest } from './contract'

/** Without the reasoning budget, which some hosts do not count towards it. */
export function outputLimit(request: ChatRequest, model: Model): number {
  const asked = namedOutputLimit(request) ?? DEFAULT_ANSWER_TOKEN_COUNT
  return Math.min(asked, model.outputTokenCountMax ?? asked)
}

/** What the client named, by whichever of the two names is lower; null if it named none. */
export function namedOutputLimit(request: ChatRequest): number | null {
  const named = [request.max_tokens, request.max_completion_tokens].filter(count => typeof count === 'number')
  return named.length > 0 ? Math.min(...named) : null
}
