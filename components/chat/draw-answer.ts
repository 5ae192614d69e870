import {
  CONNECTION_LOST,
  type ExchangeInput,
  type ExchangeObserver,
  type ExchangeResult,
  type ExchangeWorld,
  REST_LOST,
  type RunningExchange,
} from '@/lib/exchange/client/run-exchange'
import { readAnswerError } from '@/lib/exchange/client/stream-event'
import { EMPTY_ANSWER } from '@/lib/exchange/client/stream-reducer'
import { type DrawEnd, drawPicture } from '@/lib/images/client/draw-picture'
import { pictureRequest } from '@/lib/images/client/picture-request'
import { type Conversation, type Receipt, textOf } from '@/lib/local/domain/conversation'

/** The question before the answer, and nothing else: a picture has no memory of the conversation. */
export function bodyForDrawing(conversation: Conversation, answerId: string): string {
  const answerIndex = conversation.messages.findIndex(({ id }) => id === answerId)
  const question = conversation.messages[answerIndex - 1]
  return pictureRequest({
    model: conversation.messages[answerIndex]?.model ?? conversation.model ?? '',
    prompt: question ? textOf(question) : '',
  })
}

/** Draws a picture as an answer of the conversation. */
export function drawAnswer(
  { keys, body }: ExchangeInput,
  observer: ExchangeObserver,
  world: ExchangeWorld,
): RunningExchange {
  const { creditId, idempotencyKey } = keys
  const running = drawPicture({ creditId, idempotencyKey, body }, observer, world)
  return { stop: running.stop, ended: running.ended.then(resultOf) }
}

function resultOf(end: DrawEnd): ExchangeResult {
  switch (end.outcome) {
    case 'drawn':
      return { status: 'completed', answer: answerOf(end), error: null }
    case 'stopped':
      return {
        status: 'stopped',
        answer: { ...EMPTY_ANSWER, receipt: end.confirmed ? NOTHING_CHARGED : null },
        error: null,
      }
    case 'refused': {
      const told = readAnswerError(end.body)
      // Drawn and paid for, but no longer kept: no refusal, which would have cost nothing.
      const error = told?.code === 'conflict' ? { ...told, code: REST_LOST } : told
      return { status: 'failed', answer: EMPTY_ANSWER, error: error ?? UNKNOWN }
    }
    case 'lost':
      return { status: 'failed', answer: EMPTY_ANSWER, error: { code: CONNECTION_LOST, message: '' } }
  }
}

function answerOf({ drawing }: Extract<DrawEnd, { outcome: 'drawn' }>) {
  const receipt: Receipt | null =
    drawing.costUsd === null
      ? null
      : {
          cost_usd: drawing.costUsd,
          input_token_count: drawing.inputTokenCount,
          output_token_count: drawing.outputTokenCount,
          image_count: drawing.pictureUrls.length,
          estimated: drawing.estimated,
        }
  return {
    ...EMPTY_ANSWER,
    imageUrls: drawing.pictureUrls,
    receipt,
    balanceUsd: drawing.balanceUsd,
    ended: true,
  }
}

const UNKNOWN = { code: 'internal_error', message: '' }

const NOTHING_CHARGED: Receipt = {
  cost_usd: '0',
  input_token_count: 0,
  output_token_count: 0,
  estimated: false,
}
