import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { PushedBody } from '@/lib/http/direct-response'
import type { AnswerSource, RunningExchange } from './owners'

/** The response to a paid call. */
export interface ExchangeReply {
  status: number
  headers: Record<string, string>
  body: PushedBody | Uint8Array<ArrayBuffer>
  /** See `RunningExchange`; absent if the request is not kept. */
  requestSent?: Promise<void>
}

/**
 * Waits for an exchange to begin its answer, and reads it. The reader is counted until it leaves, whether it is
 * waiting or reading. @throws ApiError
 */
export async function replyOf(
  exchange: RunningExchange,
  input: { afterEvent: number; signal: AbortSignal },
): Promise<ExchangeReply> {
  const attendance = exchange.attend(input.signal)
  const answer = await exchange.answer
  const { id: exchangeId, requestSent } = exchange
  return { ...answerReply({ exchangeId, answer, afterEvent: input.afterEvent, attendance }), requestSent }
}

/** @throws ApiError not_found if the requested part of the answer is not kept */
export function answerReply(input: {
  exchangeId: string
  answer: AnswerSource
  afterEvent: number
  attendance?: { leave(): void }
}): ExchangeReply {
  const { exchangeId, answer, afterEvent, attendance } = input
  const body = answer.read({ afterEvent, onGone: () => attendance?.leave() })
  if (body === null) throw new ApiError('not_found', 'This part of the answer is no longer stored.')
  const headers = { ...answer.headers, 'x-exchange-id': exchangeId }
  return { status: answer.status, headers, body }
}
