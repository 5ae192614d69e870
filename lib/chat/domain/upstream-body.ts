import { isObject } from '@/lib/http/domain/is-object'
import type { ChatRequest } from './chat-request'
import { withParserWithinBound } from './file-parser'

/** What an upstream's host is known to want beyond the common protocol. */
export interface UpstreamDialect {
  /** The field that bounds output when the client named none. */
  outputLimitField: 'max_tokens' | 'max_completion_tokens'
  /** OpenRouter tells the cost of a call when asked for it. */
  asksForCost: boolean
  /** OpenRouter reads files for models that cannot, in ways of which one has a price of its own. */
  parsesFiles: boolean
}

export function upstreamDialect(baseUrl: string): UpstreamDialect {
  const { hostname } = new URL(baseUrl)
  // OpenAI's newer models refuse `max_tokens`; all of its models take the newer name.
  const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.openai.azure.com')
  const isOpenRouter = hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai')
  return {
    outputLimitField: isOpenAi ? 'max_completion_tokens' : 'max_tokens',
    asksForCost: isOpenRouter,
    parsesFiles: isOpenRouter,
  }
}

/**
 * The client's own request with what billing needs: output lowered to what is held for, and usage asked
 * for. Every other field goes on as it came.
 */
export function upstreamBody(
  request: ChatRequest,
  input: { outputTokenCountMax: number; dialect: UpstreamDialect; takesFiles: boolean },
): Record<string, unknown> {
  const { dialect, outputTokenCountMax } = input
  const body: Record<string, unknown> = { ...request, ...outputLimit(request, outputTokenCountMax, dialect) }
  if (request.stream === true) body.stream_options = { ...request.stream_options, include_usage: true }
  if (dialect.asksForCost) body.usage = { ...(isObject(body.usage) ? body.usage : {}), include: true }
  if (dialect.parsesFiles) return withParserWithinBound(body, request, input.takesFiles)
  return body
}

function outputLimit(
  request: ChatRequest,
  outputTokenCountMax: number,
  dialect: UpstreamDialect,
): Record<string, number> {
  const named = (['max_tokens', 'max_completion_tokens'] as const).filter(
    field => typeof request[field] === 'number',
  )
  const fields = named.length > 0 ? named : [dialect.outputLimitField]
  return Object.fromEntries(
    fields.map(field => [field, Math.min(request[field] ?? Number.POSITIVE_INFINITY, outputTokenCountMax)]),
  )
}
