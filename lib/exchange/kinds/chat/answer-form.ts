import type { NativeEndpoint } from '@/lib/upstream/upstream-dialect'
import type { ExchangeEnd } from '../../engine/ends'

/** How much may be written, under whichever of its names a host is told. */
export function writtenTokenCountMax(chat: Readonly<Record<string, unknown>>): unknown {
  return chat.max_tokens ?? chat.max_completion_tokens
}

/** A question in its own dialect, for a host that speaks it too: what that answers goes on as it comes. */
export interface NativeQuestion {
  endpoint: NativeEndpoint
  /** @param chat the same question as chat completions would ask it, lowered to what is held for */
  body(chat: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Sent along with it. */
  headers?: Readonly<Record<string, string>>
  /** Names of what a host is told in headers alone. */
  headerFields?: readonly string[]
  answer: AnswerForm
}

/** How an answer is told where chat completions are not what was asked for. */
export interface AnswerForm {
  /** For one stream. @param promptTokenCount about how much there was to read, for whoever is told that first */
  stream(promptTokenCount: () => number): StreamForm
  /** Of an answer in one piece, with what was charged for it. */
  whole(answer: Record<string, unknown>, usage: ChargedUsage): Record<string, unknown>
  /** Where the host tells it so by itself: the same in the words of chat completions; null for what is no answer. */
  read?(answer: Record<string, unknown>): Record<string, unknown> | null
}

export interface StreamForm {
  /** Where the host tells it so by itself: what an event says in the words of chat completions. */
  read?(event: Record<string, unknown>): { chunk: Record<string, unknown>; isLast: boolean }
  /** What an event comes to, which has been parsed on its way; null when there is nothing to say yet. */
  take(event: Record<string, unknown>, bytes: Buffer): Buffer | null
  end(input: { end: ExchangeEnd; usage: ChargedUsage }): Buffer
}

/** The counts that a call was charged by, and what was charged, as chat completions tell it. */
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

/** An event that tells its own name, as both other dialects write them. */
export function namedEvent(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
