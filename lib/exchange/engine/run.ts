import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import type { Checkpoint } from '@/lib/ledger/domain/holds'
import type { Nano } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { ANSWER_BYTES_MAX } from '../domain/exchange-limits'
import { type AnswerLog, createAnswerLog } from './answer-log'
import { type Conclusion, conclude } from './conclude'
import { createDirectSink, type DirectSink, type Sink } from './direct-sink'
import {
  COMPLETED,
  costEndOf,
  type ExchangeEnd,
  ExchangeStopped,
  endOfRefusal,
  leftByItsReader,
  type StopCause,
} from './ends'
import type { ExchangeContext } from './exchange-context'
import { checkpointOf, keepHold } from './holds'
import { BilledFailure, type Evidence, type Quote, type Settlement, type UpstreamCall } from './kind'
import { createLeaving } from './leaving'
import { countError, createOpening, type OpenedStream, type OpenedWhole } from './open-answer'
import { type AnswerSource, createAttendance, type RunningExchange } from './owners'
import { type OpenStream, relay } from './relay'
import { keepReplay, type ReplayHead, type ReplayKeys } from './replays'

export interface RunInput {
  holdId: string
  accountId: string
  heldNano: Nano
  quote: Quote
  /** What is asked for it. */
  call: UpstreamCall
  replayKeys: ReplayKeys
  /** Of a request that may be repeated. */
  bodyMark: ReplayHead['bodyMark']
  startedAtMs: number
}

/** Owns an exchange from its hold to its resolution. Whatever happens, the hold is resolved once. */
export function runExchange(context: ExchangeContext, input: RunInput): RunningExchange {
  const { holdId, accountId, heldNano, replayKeys, bodyMark, startedAtMs } = input
  const { modelId, isFree, times, upstreams, ignoredFields, errorBody, answerBytes = 0 } = input.quote
  const { limits } = context
  const abort = new AbortController()
  const opening = createOpening({ upstreams, call: input.call, limits, times, signal: abort.signal })
  const answer = Promise.withResolvers<AnswerSource>()
  // Nobody may be waiting any more when it is refused.
  answer.promise.catch(() => {})
  let stream: OpenStream | null = null
  let directSink: DirectSink | null = null
  let timeToFirstTokenMs: number | null = null

  const elapsedMs = () => Math.round(context.now() - startedAtMs)
  const leaving = createLeaving({
    limits,
    isSent: opening.isSent,
    reader: () => stream?.reader ?? null,
    cut: cause => abort.abort(new ExchangeStopped(cause)),
  })

  function stop(cause: StopCause): void {
    if (cause === 'disconnected') directSink?.abandon()
    if (cause === 'stopped' || cause === 'disconnected') leaving.leave(cause)
    else abort.abort(new ExchangeStopped(cause))
  }

  const finished = run()
  const exchange: RunningExchange = {
    id: holdId,
    accountId,
    resumeName: replayKeys.resumeName,
    answerId: () => stream?.reader.answerId ?? null,
    answer: answer.promise,
    finished,
    attend: createAttendance(() => {
      if (replayKeys.resumeKey === null) stop('disconnected')
    }),
    stop,
  }
  context.owners.claim(exchange)
  context.keepAlive(finished)
  return exchange

  async function run(): Promise<{ end: ExchangeEnd; settlement: Settlement }> {
    metrics.runningExchanges.inc()
    const letGo = keepHold(context, { holdId, checkpoint, onLost: () => stop('hold_lost') })
    const durationTimer = setTimeout(() => stop('too_long'), limits.exchangeDurationMsMax)
    let leaveRoom = () => {}
    try {
      if (answerBytes > 0) leaveRoom = await context.answerRoom.enter(accountId, answerBytes, abort.signal)
      const opened = await opening.open()
      return opened.form === 'stream' ? await handOnStream(opened) : await handOnWhole(opened)
    } catch (error) {
      return await refuse(error)
    } finally {
      metrics.runningExchanges.dec()
      leaveRoom()
      letGo()
      clearTimeout(durationTimer)
      leaving.end()
    }
  }

  async function checkpoint(): Promise<Checkpoint | null> {
    if (!stream || isFree) return null
    const evidence = stream.reader.evidence('failed')
    // What broke off before any of it came is free.
    if (!evidence.hasOutput) return null
    return checkpointOf(await evidence.own(), {
      upstreamId: stream.upstream.id,
      durationMs: elapsedMs(),
      timeToFirstTokenMs,
    })
  }

  async function handOnStream(opened: OpenedStream) {
    const { first } = opened
    stream = opened
    timeToFirstTokenMs = elapsedMs()
    const numbered = replayKeys.resumeKey !== null
    const isKept = numbered || replayKeys.idempotencyKey !== null
    const log = isKept ? createAnswerLog({ numbered, logs: context.answerLogs }) : null
    const headers = { ...baseHeaders(), 'x-accel-buffering': 'no', ...opened.headers }
    const sink: Sink = log ?? openDirectSink(headers)
    if (log) answer.resolve({ status: 200, headers, read: log.read })
    if (first) sink.write(first)
    leaving.look()
    try {
      return await relayToItsEnd(opened, sink, log, headers)
    } catch (error) {
      // Whatever it was, nobody may be left waiting for more.
      sink.fail(error instanceof Error ? error : new Error('The answer was broken off.'))
      throw error
    }
  }

  async function relayToItsEnd(
    opened: OpenedStream,
    sink: Sink,
    log: AnswerLog | null,
    headers: Record<string, string>,
  ) {
    const { reader, upstream } = opened
    const relayed = await relay(opened, {
      sink,
      betweenBytesTimeoutMs: times.betweenBytesTimeoutMs,
      signal: abort.signal,
      onProgress: leaving.look,
    })
    if (relayed.status === 'failed' && !abort.signal.aborted) countError(upstream, 'broken_off')
    // Read on behind the back of whoever left.
    const end =
      leaving.cause && relayed.status === 'completed' ? { ...relayed, status: leaving.cause } : relayed
    const { charge, settlement } = await concludeWith({
      end,
      upstream,
      evidence: reader.evidence(costEndOf(end)),
      isRefused: reader.ended === 'failed',
    })
    const told = relayed.status === 'disconnected' ? { ...end, error: leftByItsReader() } : end
    const lastWords = reader.lastWords({ end: told, charge, settlement, exchangeId: holdId })
    if (lastWords === null) {
      sink.fail(new Error(end.error?.message ?? 'The answer was stopped.'))
      return { end, settlement }
    }
    if (lastWords.length > 0) sink.write(lastWords)
    // Kept before it ends: whoever has seen the end may ask for the answer again at once.
    if (log) await keep({ status: 200, headers, numbered: replayKeys.resumeKey !== null }, log.events())
    sink.end()
    return { end, settlement }
  }

  function openDirectSink(headers: Record<string, string>): Sink {
    const sink = createDirectSink({
      stallTimeoutMs: limits.readerStallTimeoutMs,
      onGone: () => stop('disconnected'),
    })
    directSink = sink
    if (leaving.cause === 'disconnected') sink.abandon()
    let taken = false
    answer.resolve({
      status: 200,
      headers,
      read() {
        if (taken) return null
        taken = true
        return sink.body
      },
    })
    return sink
  }

  async function handOnWhole({ upstream, answer: whole }: OpenedWhole) {
    timeToFirstTokenMs = elapsedMs()
    const end = COMPLETED
    const { charge, settlement } = await concludeWith({ end, upstream, evidence: whole.evidence() })
    const written = await whole.write({ charge, settlement })
    const headers = { ...baseHeaders(), ...written.headers, 'content-type': written.contentType }
    const { body } = written
    // Kept first: whoever has the answer may ask for it again at once.
    const isTooLong = body.length > ANSWER_BYTES_MAX
    await keep({ status: 200, headers, numbered: false }, isTooLong ? null : [body])
    const bytes = new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength)
    const read = () => (answerBytes > 0 ? context.answerRoom.handOn(accountId, bytes, false) : bytes)
    answer.resolve({ status: 200, headers, read })
    return { end, settlement }
  }

  /** No upstream began to answer: the caller is told why. */
  async function refuse(cause: unknown): Promise<{ end: ExchangeEnd; settlement: Settlement }> {
    const end = endOfRefusal(cause, abort.signal)
    const error = end.error ?? new ApiError('conflict', 'The request was stopped before it was answered.')
    const evidence = cause instanceof BilledFailure ? cause.evidence : null
    const upstream = opening.billsFor(cause)
    const { settlement } = await concludeWith({ end, upstream, evidence, isRefused: true })
    // The request itself is wrong, and stays so: a retry gets the same answer. Other failures may pass.
    if (['unprocessable', 'invalid_request', 'context_length_exceeded'].includes(error.code)) {
      const headers = { ...baseHeaders(), 'content-type': 'application/json' }
      const body = Buffer.from(JSON.stringify(errorBody?.(error) ?? error.toBody()))
      await keep({ status: error.status, headers, numbered: false }, [body])
    }
    answer.reject(error)
    return { end, settlement }
  }

  function concludeWith(outcome: {
    end: ExchangeEnd
    upstream: UpstreamSettings | null
    evidence: Evidence | null
    isRefused?: boolean
  }): ReturnType<typeof conclude> {
    const conclusion: Conclusion = {
      isRefused: false,
      ...outcome,
      holdId,
      modelId,
      heldNano,
      isFree,
      asked: opening.askedCost,
      timing: { durationMs: elapsedMs(), timeToFirstTokenMs },
    }
    return conclude(context, conclusion)
  }

  function keep(head: ReplayHead, entries: readonly Buffer[] | null): Promise<void> {
    const kept = { exchangeId: holdId, accountId, replayKeys, head: { ...head, bodyMark }, entries }
    return keepReplay(context.replayStore, { ...kept, ttlSeconds: limits.replayTtlSeconds })
  }

  function baseHeaders(): Record<string, string> {
    return {
      'cache-control': 'no-store',
      ...(ignoredFields.length > 0 ? { 'x-ignored-fields': ignoredFields.join(', ') } : {}),
    }
  }
}
