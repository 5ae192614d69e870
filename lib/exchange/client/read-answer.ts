import { asText, fieldsOf, isObject, listOf, readCount } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import type { AnswerErrorCode, Citation, Receipt } from '@/lib/local/domain/conversation'
import { formatDecimal, parseDecimal } from '@/lib/money/decimal'
import type { Answer, AnswerError } from './answer'
import { addCitations, addToolCalls, readCitations, readToolCalls } from './answer-extras'

/** One `data:` line of a completion stream, reduced to what a message needs. */
export type StreamEvent =
  | {
      readonly type: 'chunk'
      readonly text: string
      readonly reasoning: string
      readonly imageUrls: readonly string[]
      readonly citations: readonly Citation[]
      readonly toolCalls: ReturnType<typeof readToolCalls>
      readonly finishReason: string | null
      readonly receipt: Receipt | null
      readonly balanceUsd: string | null
    }
  | { readonly type: 'error'; readonly error: AnswerError }
  | { readonly type: 'end' }

const END_MARK = '[DONE]'
/** More pictures in one answer than any model draws. */
const IMAGE_COUNT_MAX = 16

/** Null if the line is not understood: an unknown event is skipped, and never ends an answer. */
export function parseStreamEvent(data: string): StreamEvent | null {
  if (data.trim() === END_MARK) return { type: 'end' }
  const body = tryParseJson(data)
  if (!isObject(body)) return null
  const error = readAnswerError(body)
  if (error) return { type: 'error', error }
  const [choice] = listOf(body.choices)
  if (!isObject(choice) && !isObject(body.usage)) return null
  const { delta: added, message, finish_reason: reason } = fieldsOf(choice)
  const delta = fieldsOf(added)
  return {
    type: 'chunk',
    text: asText(delta.content),
    reasoning: asText(delta.reasoning) || asText(delta.reasoning_content),
    imageUrls: listOf(delta.images).flatMap(readImageUrl),
    // Some hosts send their sources with the whole message at the end.
    citations: [...readCitations(body, delta), ...readCitations({}, fieldsOf(message))],
    toolCalls: readToolCalls(delta),
    finishReason: asText(reason) || null,
    ...readReceipt(body.usage),
  }
}

/**
 * Adds one event to an answer. `eventId` is the stream's `id:` number, null if it has none. Events that were already
 * seen (a resume that overlaps) and events after the end change nothing, so replays are harmless.
 */
export function reduceAnswer(answer: Answer, event: StreamEvent, eventId: number | null): Answer {
  if (answer.ended) return answer
  if (eventId !== null && eventId <= answer.lastEventId) return answer
  const lastEventId = eventId ?? answer.lastEventId
  switch (event.type) {
    case 'end':
      return { ...answer, ended: true, lastEventId }
    case 'error':
      return { ...answer, error: event.error, ended: true, lastEventId }
    case 'chunk':
      return {
        ...answer,
        text: answer.text + event.text,
        reasoning: answer.reasoning + event.reasoning,
        imageUrls: addImages(answer.imageUrls, event.imageUrls),
        citations: addCitations(answer.citations, event.citations),
        toolCalls: addToolCalls(answer.toolCalls, event.toolCalls),
        finishReason: event.finishReason ?? answer.finishReason,
        receipt: event.receipt ?? answer.receipt,
        balanceUsd: event.balanceUsd ?? answer.balanceUsd,
        lastEventId,
      }
  }
}

function addImages(known: readonly string[], added: readonly string[]): readonly string[] {
  return added.length === 0 ? known : [...known, ...added].slice(0, IMAGE_COUNT_MAX)
}

/** The error in a body or an event; null if there is none. */
export function readAnswerError(body: unknown): AnswerError | null {
  const { error } = fieldsOf(body)
  if (!isObject(error)) return null
  return {
    code: ((asText(error.code) || asText(error.type)) as AnswerErrorCode | '') || 'internal_error',
    message: asText(error.message),
    requiredUsd: readDecimal(error.required_usd) ?? undefined,
    availableUsd: readDecimal(error.available_usd) ?? undefined,
  }
}

/**
 * The charge and the remaining balance, from the usage of a stream or a picture, or from the reply to a stop. Without a
 * cost there is no receipt: missing does not mean zero.
 */
export function readReceipt(usage: unknown): Pick<Answer, 'receipt' | 'balanceUsd'> {
  const told = fieldsOf(usage)
  const cost = readDecimal(told.cost)
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(told.prompt_tokens_details)
  const thought = asCount(fieldsOf(told.completion_tokens_details).reasoning_tokens)
  return {
    receipt:
      cost === null
        ? null
        : {
            cost_usd: cost,
            input_token_count: asCount(told.prompt_tokens ?? told.input_tokens),
            output_token_count: asCount(told.completion_tokens ?? told.output_tokens),
            estimated: told.estimated === true,
            ...(thought > 0 && { reasoning_token_count: thought }),
            ...(typeof cached === 'number' && { cached_token_count: asCount(cached) }),
            ...(asCount(written) > 0 && { cache_write_token_count: asCount(written) }),
          },
    balanceUsd: readDecimal(told.balance_usd),
  }
}

function readImageUrl(value: unknown): string[] {
  const url = asText(fieldsOf(fieldsOf(value).image_url).url)
  return url ? [url] : []
}

/** JSON numbers such as 4.2e-7 come out in plain notation: `"0.00000042"`. */
function readDecimal(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const decimal = parseDecimal(String(value))
  return decimal ? formatDecimal(decimal) : null
}

function asCount(value: unknown): number {
  return readCount(value) ?? 0
}
