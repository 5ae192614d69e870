import type { AnswerErrorCode, Citation, Receipt, ToolCall } from '@/lib/local/domain/conversation'

/** An answer while it arrives. */
export interface Answer {
  readonly text: string
  readonly reasoning: string
  readonly imageUrls: readonly string[]
  readonly citations: readonly Citation[]
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string | null
  readonly receipt: Receipt | null
  /** Decimal dollars left after the charge. */
  readonly balanceUsd: string | null
  readonly error: AnswerError | null
  /** By the reply itself (`[DONE]`, an error, a whole body); a broken connection does not end an answer. */
  readonly ended: boolean
  /** Number of the last event taken in; -1 before the first. Sent as Last-Event-ID on a resume. */
  readonly lastEventId: number
}

export const EMPTY_ANSWER: Answer = {
  text: '',
  reasoning: '',
  imageUrls: [],
  citations: [],
  toolCalls: [],
  finishReason: null,
  receipt: null,
  balanceUsd: null,
  error: null,
  ended: false,
  lastEventId: -1,
}

/** Whether all of the answer is there. Only its price may be missing, if the connection ended before that arrived. */
export function isWhole({ finishReason, imageUrls }: Answer): boolean {
  return finishReason !== null || imageUrls.length > 0
}

/** Why an exchange failed: the API's error object, or a code of this client's own. */
export interface AnswerError {
  readonly code: AnswerErrorCode
  readonly message: string
  /** Decimal dollars, present with `insufficient_credit`. */
  readonly requiredUsd?: string
  readonly availableUsd?: string
}

/** This client's own errors, with sentences in the `chat` messages. Neither says that nothing was charged. */
export const CONNECTION_LOST = { code: 'connection_lost', message: '' } satisfies AnswerError
export const REST_LOST = { code: 'rest_lost', message: '' } satisfies AnswerError

export const NOTHING_CHARGED: Receipt = {
  cost_usd: '0',
  input_token_count: 0,
  output_token_count: 0,
  estimated: false,
}

/** How an exchange ended. */
export interface ExchangeResult {
  readonly status: 'completed' | 'stopped' | 'failed'
  readonly answer: Answer
  readonly error: AnswerError | null
}

/** @param failure why no more of the answer comes; null if it has ended by itself */
export function resultOf(
  answer: Answer,
  failure: AnswerError | null,
  { isStopping, isSent, isStopConfirmed }: { isStopping: boolean; isSent: boolean; isStopConfirmed: boolean },
): ExchangeResult {
  if (isStopping && !isSent) {
    return { status: 'stopped', answer: { ...answer, receipt: NOTHING_CHARGED }, error: null }
  }
  if (failure && !isStopConfirmed) return { status: 'failed', answer, error: failure }
  // After a confirmed stop only the price can follow, whatever the reply itself says.
  if (failure && answer.receipt === null) return { status: 'failed', answer, error: REST_LOST }
  return { status: isStopping && !isWhole(answer) ? 'stopped' : 'completed', answer, error: null }
}
