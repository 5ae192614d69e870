import type { Receipt } from '@/lib/local/domain/conversation'
import type { AnswerError, StreamEvent, ToolCallDelta } from './stream-event'

/** An answer while it arrives: everything that its events so far say. */
export interface Answer {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly ToolCall[]
  readonly imageUrls: readonly string[]
  readonly finishReason: string | null
  readonly receipt: Receipt | null
  readonly balanceUsd: string | null
  readonly error: AnswerError | null
  /** The stream said so itself (`[DONE]` or an error); a connection that merely broke does not end it. */
  readonly ended: boolean
  /** Number of the last event taken in; -1 before the first. Sent as Last-Event-ID on a resume. */
  readonly lastEventId: number
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** No model calls more functions at once; a stream that claims to is malformed. */
const TOOL_CALL_COUNT_MAX = 128
/** More pictures in one answer than any model draws. */
const IMAGE_COUNT_MAX = 16

export const EMPTY_ANSWER: Answer = {
  text: '',
  reasoning: '',
  toolCalls: [],
  imageUrls: [],
  finishReason: null,
  receipt: null,
  balanceUsd: null,
  error: null,
  ended: false,
  lastEventId: -1,
}

/**
 * Takes one event in. `eventId` is the stream's `id:` number, null when it has none. An event already
 * seen (a resume that overlaps) and anything after the end change nothing, so replays are harmless.
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
        toolCalls: event.toolCalls.reduce(addToolCallDelta, answer.toolCalls),
        imageUrls: addImages(answer.imageUrls, event.imageUrls),
        finishReason: event.finishReason ?? answer.finishReason,
        receipt: event.receipt ?? answer.receipt,
        balanceUsd: event.balanceUsd ?? answer.balanceUsd,
        lastEventId,
      }
  }
}

function addToolCallDelta(calls: readonly ToolCall[], delta: ToolCallDelta): readonly ToolCall[] {
  if (delta.index >= TOOL_CALL_COUNT_MAX) return calls
  const next = [...calls]
  while (next.length <= delta.index) next.push({ id: '', name: '', argumentsText: '' })
  const call = next[delta.index]
  if (!call) return calls
  next[delta.index] = {
    id: delta.id || call.id,
    name: call.name + delta.name,
    argumentsText: call.argumentsText + delta.argumentsText,
  }
  return next
}

function addImages(known: readonly string[], added: readonly string[]): readonly string[] {
  return added.length === 0 ? known : [...known, ...added].slice(0, IMAGE_COUNT_MAX)
}
