import type { ExchangeEnd } from '../../engine/ends'

/** How an answer is told where chat completions are not what was asked for. */
export interface AnswerForm {
  /** For one stream. */
  stream(): StreamForm
  /** Of an answer in one piece, with what was charged for it. */
  whole(answer: Record<string, unknown>, usage: ChargedUsage): Record<string, unknown>
}

export interface StreamForm {
  /** What a chunk comes to, which has been parsed on its way; null when there is nothing to say yet. */
  take(chunk: Record<string, unknown>): Buffer | null
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
