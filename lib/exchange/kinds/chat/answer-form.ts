import type { ApiError } from '@/lib/http/api-error'
import type { NativeEndpoint } from '@/lib/upstream/upstream-dialect'
import { type Charge, chargeFields } from '../../domain/decide-charge'
import type { ExchangeEnd } from '../../engine/ends'
import type { Settlement } from '../../engine/kind'
import { shownDetails } from '../usage'

/** The limit of output tokens, under whichever of its two names it is sent. */
export function writtenTokenCountMax(chat: Readonly<Record<string, unknown>>): unknown {
  return chat.max_tokens ?? chat.max_completion_tokens
}

/** A question in its own dialect, for hosts that speak it, too. Their answers are passed on as they come. */
export interface NativeQuestion {
  endpoint: NativeEndpoint
  /** @param chat the same question as a chat completion, with its limits lowered to the hold */
  body(chat: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Further headers of the request. */
  headers?: Readonly<Record<string, string>>
  /** What those headers ask for, by the names that `x-ignored-fields` gives it. */
  headerFields?: readonly string[]
  answer: AnswerForm
}

/** How the client wants the answer. */
export interface AskedForm {
  streamed: boolean
  /** It has asked for a last chunk of a stream that tells the usage and, as at OpenAI, has no choices. */
  hasUsageChunk: boolean
  /** Null for chat completions. */
  form: AnswerForm | null
}

/** Writes an answer in another dialect than chat completions. */
export interface AnswerForm {
  /** @param promptTokenCount a quick estimate, for dialects that begin with it */
  stream(promptTokenCount: () => number): StreamForm
  /** Writes an answer in one piece, with what was charged for it. */
  whole(answer: Record<string, unknown>, usage: ChargedUsage): Record<string, unknown>
  /** For dialects in which an answer itself can say that it failed: that answer. Others have an error in its place. */
  failed?(error: ApiError): Record<string, unknown>
  /** For hosts that answer in this dialect: the answer as a chat completion; null if it is no answer. */
  read?(answer: Record<string, unknown>): Record<string, unknown> | null
}

export interface StreamForm {
  /** For hosts that answer in this dialect: the event as a chunk of a chat completion. */
  read?(event: Record<string, unknown>): {
    chunk: Record<string, unknown>
    isLast: boolean
    /** Usage with the prompt alone, from hosts that tell it before they write. */
    promptReport?: Record<string, unknown>
  }
  /** The event in this dialect; null if there is nothing to write yet. */
  take(event: Record<string, unknown>, bytes: Buffer): Buffer | null
  end(input: { end: ExchangeEnd; usage: ChargedUsage }): Buffer
}

/** The counts that a call was charged by, and the charge, as chat completions write them. */
export interface ChargedUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: Record<string, unknown>
  completion_tokens_details?: Record<string, unknown>
  cost: number
  balance_usd?: number
  estimated?: true
}

/** The counts of the upstream, or ours, with what this site charged in place of what it paid. */
export function chargedUsage(charge: Charge, settlement: Settlement, report: unknown): ChargedUsage {
  const { inputTokenCount, outputTokenCount } = charge.counts
  return {
    ...(charge.estimated ? {} : shownDetails(report)),
    prompt_tokens: inputTokenCount,
    completion_tokens: outputTokenCount,
    total_tokens: inputTokenCount + outputTokenCount,
    ...chargeFields(settlement),
    ...(charge.estimated ? { estimated: true } : {}),
  }
}

/** A server-sent event as chat completions, and OpenAI's older completions, write it. */
export function dataEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}

/** The last one of such a stream. */
export const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** A server-sent event with its name, as both other dialects write them. */
export function namedEvent(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
