import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { PushedBody } from '@/lib/http/direct-response'
import type { AnswerMemory } from './answer-memory'
import type { AnswerSource, RunningExchange } from './owners'
import { type KeptReplay, keptAnswer } from './replays'

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
  const reader = { afterEvent: input.afterEvent, onGone: () => attendance.leave() }
  return { ...answerReply(exchangeId, answer, reader), requestSent }
}

/** @throws ApiError not_found if that part of the answer is not kept, conflict with Retry-After for too many readers */
export function keptReply(
  context: { replayMemory: AnswerMemory },
  kept: KeptReplay,
  afterEvent: number,
): ExchangeReply {
  return answerReply(kept.exchangeId, keptAnswer(context, kept), { afterEvent, onGone: () => {} })
}

function answerReply(
  exchangeId: string,
  answer: AnswerSource,
  reader: Parameters<AnswerSource['read']>[0],
): ExchangeReply {
  const body = answer.read(reader)
  if (body === null) throw new ApiError('not_found', 'This part of the answer is no longer stored.')
  const headers = { ...answer.headers, 'x-exchange-id': exchangeId }
  return { status: answer.status, headers, body }
}
