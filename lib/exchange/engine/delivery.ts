import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import type { ApiError } from '@/lib/http/api-error'
import type { ApiErrorCode } from '@/lib/http/domain/error-codes'
import { noteLateError } from '@/lib/http/handle-api'
import { ANSWER_BYTES_MAX } from '../domain/exchange-limits'
import { type AnswerLog, createAnswerLog } from './answer-log'
import { createDirectSink, type DirectSink, type Sink } from './direct-sink'
import type { ExchangeContext } from './exchange-context'
import type { Quote, WrittenAnswer } from './kind'
import type { AnswerSource } from './owners'
import { keepReplay, type ReplayHead, type ReplayKeys } from './replays'
import { bodyToCome, COMMENT, WHITE_SPACE, withComments } from './waiting-comments'

export interface DeliveryInput {
  holdId: string
  accountId: string
  quote: Pick<Quote, 'ignoredFields' | 'errorBody' | 'lateErrorBody' | 'answerBytes'>
  replayKeys: ReplayKeys
  /** Of a request that may be repeated. */
  bodyMark: ReplayHead['bodyMark']
}

/** The side of an exchange that faces its readers: hands the answer out, and keeps it for a repetition. */
interface Delivery {
  /** Resolves when there is something to read; rejects with an ApiError if there will be nothing. */
  readonly answer: Promise<AnswerSource>
  /**
   * The answer is a stream; `keep` stores all of it so far. It may be begun before the answer is there: the second call
   * returns the same.
   */
  stream(headers: Record<string, string>): { sink: Sink; keep: () => Promise<void> }
  /** The answer will be JSON in one piece, and is slow: its headers are sent, and white space until it is there. */
  beginJson(): void
  /** The answer came in one piece. */
  whole(written: WrittenAnswer): Promise<void>
  /**
   * There is no answer. JSON that has been begun becomes the error.
   * @param lastWords end a stream that has been begun; null if only breaking off can
   */
  refuse(error: ApiError, lastWords: () => Buffer | null): Promise<void>
  /**
   * Stores what could not be stored at once, as during an outage. Until then its exchange is not over, so that whoever
   * comes back finds it there. Never rejects.
   */
  keepLater(): Promise<void>
  /** Its reader has left. */
  abandon(): void
}

/** The request itself is wrong, so that a retry gets the same answer. Other failures may pass. */
const KEPT_CODES: ReadonlySet<ApiErrorCode> = new Set([
  'unprocessable',
  'invalid_request',
  'context_length_exceeded',
])

const JSON_TYPE = { 'content-type': 'application/json' }
/** Proxies pass on every piece as it comes; see nginx, `proxy_buffering`. */
const UNBUFFERED = { 'x-accel-buffering': 'no' }

/** @param onGone the only reader of a stream that is not kept has left, or has stalled */
export function createDelivery(context: ExchangeContext, input: DeliveryInput, onGone: () => void): Delivery {
  const { holdId, accountId, replayKeys, bodyMark } = input
  const { ignoredFields, errorBody, lateErrorBody, answerBytes = 0 } = input.quote
  const { limits } = context
  const isKept = replayKeys.resumeKey !== null || replayKeys.idempotencyKey !== null
  const answer = Promise.withResolvers<AnswerSource>()
  // When it rejects, there may be no reader left to handle it.
  answer.promise.catch(() => {})
  let directSink: DirectSink | null = null
  let begun: ReturnType<Delivery['stream']> | null = null
  let begunJson: PromiseWithResolvers<Uint8Array> | null = null
  /** Tries to store the answer again; null if that is not needed. */
  let keepAgain: (() => Promise<boolean>) | null = null

  return {
    answer: answer.promise,
    stream(answerHeaders) {
      begun ??= begin({ ...baseHeaders(), ...UNBUFFERED, ...answerHeaders })
      return begun
    },
    beginJson() {
      const coming = Promise.withResolvers<Uint8Array>()
      begunJson = coming
      const spaces = { text: WHITE_SPACE, intervalMs: limits.commentIntervalMs, isAwaited: () => true }
      answer.resolve({
        status: 200,
        headers: { ...baseHeaders(), ...UNBUFFERED, ...JSON_TYPE },
        read: ({ onGone }) => withComments(bodyToCome(coming.promise, onGone), spaces),
      })
    },
    async whole({ body, contentType, headers: ownHeaders }) {
      const headers = { ...baseHeaders(), ...ownHeaders, 'content-type': contentType }
      // Kept first: a client that has the answer may ask for it again at once.
      const isTooLong = body.length > ANSWER_BYTES_MAX
      await keep({ status: 200, headers, numbered: false }, isTooLong ? null : [body])
      const bytes = new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength)
      const read = () =>
        answerBytes > 0 ? context.answerMemory.readInPieces(accountId, bytes, false) : bytes
      answer.resolve({ status: 200, headers, read })
      begunJson?.resolve(bytes)
    },
    async refuse(error, lastWords) {
      const body = errorBody?.(error) ?? error.toBody()
      if (KEPT_CODES.has(error.code)) {
        const headers = { ...baseHeaders(), ...JSON_TYPE }
        await keep({ status: error.status, headers, numbered: false }, [jsonBytes(body)])
      }
      answer.reject(error)
      if (begun || begunJson) noteLateError(error)
      begunJson?.resolve(jsonBytes(lateErrorBody?.(error) ?? body))
      if (!begun) return
      const words = lastWords()
      if (!words) return begun.sink.fail(error)
      begun.sink.write(words)
      begun.sink.end()
    },
    async keepLater() {
      for (const delayMs of limits.keepRetryDelaysMs) {
        if (keepAgain === null || context.closing.aborted) return
        await wait(delayMs, null, { ref: false, signal: context.closing }).catch(() => null)
        if (await keepAgain()) return
      }
    },
    abandon: () => directSink?.abandon(),
  }

  function begin(headers: Record<string, string>): ReturnType<Delivery['stream']> {
    // Sound is no place for numbers or comments.
    const hasEvents = headers['content-type']?.startsWith('text/event-stream') === true
    const numbered = hasEvents && replayKeys.resumeKey !== null
    const { sink, read, keep: keepIt } = isKept ? toReaders(headers, numbered) : toOneReader()
    let isAwaited = true
    const comments = { text: COMMENT, intervalMs: limits.commentIntervalMs, isAwaited: () => isAwaited }
    answer.resolve({
      status: 200,
      headers,
      read(from) {
        const body = read(from)
        return body && hasEvents ? withComments(body, comments) : body
      },
    })
    return {
      sink,
      keep() {
        // Its last words are written, and storing it may take long.
        isAwaited = false
        return keepIt()
      },
    }
  }

  function toReaders(headers: Record<string, string>, numbered: boolean) {
    const log = createAnswerLog({ numbered, logs: context.answerLogs })
    const keepLog = () => keep({ status: 200, headers, numbered }, log.events())
    return { sink: log, read: log.read, keep: keepLog }
  }

  function toOneReader() {
    const sink = createDirectSink({ stallTimeoutMs: limits.readerStallTimeoutMs, onGone })
    directSink = sink
    let taken = false
    const read: AnswerLog['read'] = () => {
      if (taken) return null
      taken = true
      return sink.body
    }
    return { sink, read, keep: async () => {} }
  }

  async function keep(head: ReplayHead, entries: readonly Buffer[] | null): Promise<void> {
    const kept = { exchangeId: holdId, accountId, replayKeys, head: { ...head, bodyMark }, entries }
    const tryToKeep = () => keepReplay(context.replayStore, { ...kept, ttlSeconds: limits.replayTtlSeconds })
    keepAgain = (await tryToKeep()) ? null : tryToKeep
  }

  function baseHeaders(): Record<string, string> {
    return {
      'cache-control': 'no-store',
      ...(ignoredFields.length > 0 ? { 'x-ignored-fields': ignoredFields.join(', ') } : {}),
    }
  }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
