import type { Receipt } from '@/lib/local/domain/conversation'
import { formatDecimal, parseDecimal } from '@/lib/money/decimal'

/** Why an exchange failed: the API's error object, or a code of this client's own. */
export interface AnswerError {
  readonly code: string
  readonly message: string
  /** Decimal dollars, present with `insufficient_credit`. */
  readonly requiredUsd?: string
  readonly availableUsd?: string
}

export interface ToolCallDelta {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** One `data:` line of a completion stream, reduced to what a message is made of. */
export type StreamEvent =
  | {
      readonly type: 'chunk'
      readonly text: string
      readonly reasoning: string
      readonly toolCalls: readonly ToolCallDelta[]
      readonly imageUrls: readonly string[]
      readonly finishReason: string | null
      readonly receipt: Receipt | null
      /** Decimal dollars left after the charge. */
      readonly balanceUsd: string | null
    }
  | { readonly type: 'error'; readonly error: AnswerError }
  | { readonly type: 'end' }

const END_MARK = '[DONE]'

/** Null when the line is not understood: an unknown event is skipped, never the end of an answer. */
export function parseStreamEvent(data: string): StreamEvent | null {
  if (data.trim() === END_MARK) return { type: 'end' }
  const body = parseRecord(data)
  if (!body) return null
  const error = readAnswerError(body)
  if (error) return { type: 'error', error }
  const choice = asRecord(asArray(body.choices)[0])
  const delta = asRecord(choice?.delta)
  const usage = asRecord(body.usage)
  if (!choice && !usage) return null
  return {
    type: 'chunk',
    text: asText(delta?.content),
    reasoning: asText(delta?.reasoning) || asText(delta?.reasoning_content),
    toolCalls: asArray(delta?.tool_calls).flatMap(readToolCall),
    imageUrls: asArray(delta?.images).flatMap(readImageUrl),
    finishReason: asText(choice?.finish_reason) || null,
    receipt: usage ? readReceipt(usage) : null,
    balanceUsd: usage ? readDecimal(usage.balance_usd) : null,
  }
}

/** The error inside a body or an event; null when it carries none. */
export function readAnswerError(body: unknown): AnswerError | null {
  const error = asRecord(asRecord(body)?.error)
  if (!error) return null
  return {
    code: asText(error.code) || asText(error.type) || 'internal_error',
    message: asText(error.message),
    requiredUsd: readDecimal(error.required_usd) ?? undefined,
    availableUsd: readDecimal(error.available_usd) ?? undefined,
  }
}

/** A usage block without a cost is no receipt: absent is not zero. */
function readReceipt(usage: Record<string, unknown>): Receipt | null {
  const cost = readDecimal(usage.cost)
  if (cost === null) return null
  return {
    cost_usd: cost,
    input_token_count: asCount(usage.prompt_tokens),
    output_token_count: asCount(usage.completion_tokens),
    estimated: usage.estimated === true,
  }
}

function readToolCall(value: unknown): ToolCallDelta[] {
  const call = asRecord(value)
  if (!call) return []
  const target = asRecord(call.function)
  return [
    {
      index: asCount(call.index),
      id: asText(call.id),
      name: asText(target?.name),
      argumentsText: asText(target?.arguments),
    },
  ]
}

function readImageUrl(value: unknown): string[] {
  const url = asText(asRecord(asRecord(value)?.image_url)?.url)
  return url ? [url] : []
}

/** JSON numbers such as 4.2e-7 come out in plain notation: `"0.00000042"`. */
function readDecimal(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const decimal = parseDecimal(String(value))
  return decimal ? formatDecimal(decimal) : null
}

function parseRecord(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text)) ?? null
  } catch {
    return null
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
