import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import type { Checkpoint } from '@/lib/ledger/domain/holds'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { conclude } from './conclude'
import { createDelivery, type DeliveryInput } from './delivery'
import type { Sink } from './direct-sink'
import {
  abandonedByReader,
  COMPLETED,
  costEndOf,
  type ExchangeEnd,
  ExchangeStopped,
  endOfRefusal,
  failedAfterCharge,
  type StopCause,
  type UnseenPart,
  unseenPart,
} from './ends'
import type { ExchangeContext } from './exchange-context'
import { checkpointOf, keepHold } from './holds'
import { BilledFailure, type Evidence, type Quote, type Settlement, type UpstreamCall } from './kind'
import { createLeaving } from './leaving'
import { countError, createOpening, type OpenedStream, type OpenedWhole } from './opening'
import { createAttendance, type RunningExchange } from './owners'
import { type OpenStream, relay } from './relay'

export interface RunInput extends DeliveryInput {
  heldNano: Nano
  quote: Quote
  call: UpstreamCall
  /** By `performance.now()`. */
  startedAtMs: number
}

/**
 * Owns an exchange from its hold to its settlement: asks the upstreams, and relays the answer to its readers.
 * Whatever happens, the hold is settled or released once.
 */
export function runExchange(context: ExchangeContext, input: RunInput): RunningExchange {
  const { holdId, accountId, heldNano, startedAtMs } = input
  const { resumeKey, resumeName, idempotencyKey } = input.replayKeys
  const { modelId, isFree, times, upstreams, answerBytes = 0 } = input.quote
  const { answersJson = false } = input.call
  const { limits } = context
  const abort = new AbortController()
  const { signal } = abort
  // If the reader left while the previous host was silent, no further host is asked.
  const onAsking = () => leaving.noteProgress()
  const opening = createOpening({ upstreams, call: input.call, limits, times, signal, onAsking })
  const delivery = createDelivery(context, input, () => stop('disconnected'))
  const sent = Promise.withResolvers<void>()
  let stream: OpenStream | null = null
  let timeToFirstTokenMs: number | null = null
  let concluded: { end: ExchangeEnd; settlement: Settlement } | null = null

  const elapsedMs = () => Math.round(performance.now() - startedAtMs)
  const leaving = createLeaving({
    limits,
    isSent: opening.isSent,
    reader: () => (isFinishedForRetry() ? null : (stream?.reader ?? null)),
    cut: cause => abort.abort(new ExchangeStopped(cause)),
  })

  /** Its reader has left, but has paid for all of it, and may ask for it again. */
  function isFinishedForRetry(): boolean {
    return (
      leaving.cause === 'disconnected' && idempotencyKey !== null && stream?.reader.isBilledWhole === true
    )
  }

  function stop(cause: StopCause): void {
    if (cause === 'disconnected') delivery.abandon()
    if (cause === 'stopped' || cause === 'disconnected') leaving.leave(cause)
    else abort.abort(new ExchangeStopped(cause))
  }

  const finished = run()
  const exchange: RunningExchange = {
    id: holdId,
    accountId,
    resumeName,
    answerId: () => stream?.reader.answerId ?? null,
    answer: delivery.answer,
    requestSent: sent.promise,
    finished,
    attend: createAttendance(() => {
      if (resumeKey === null) stop('disconnected')
    }),
    stop,
  }
  context.owners.claim(exchange)
  context.keepAlive(finished)
  return exchange

  async function run(): Promise<{ end: ExchangeEnd; settlement: Settlement }> {
    metrics.runningExchanges.inc()
    const stopRenewing = keepHold(context, { holdId, checkpoint, onLost: () => stop('hold_lost') })
    const durationTimer = setTimeout(() => stop('too_long'), limits.exchangeDurationMsMax)
    let releaseMemory = () => {}
    try {
      if (answerBytes > 0) releaseMemory = await context.answerMemory.reserve(accountId, answerBytes, signal)
      const stopWaiting = beginIfSlow()
      const opened = await opening.open().finally(stopWaiting)
      sent.resolve()
      const ended = opened.form === 'stream' ? await deliverStream(opened) : await deliverWhole(opened)
      await delivery.keepLater()
      return ended
    } catch (error) {
      return await refuse(error)
    } finally {
      sent.resolve()
      metrics.runningExchanges.dec()
      releaseMemory()
      stopRenewing()
      clearTimeout(durationTimer)
      leaving.end()
    }
  }

  /**
   * If no upstream answers soon, the answer is begun without one. From then on, only its body can tell of a failure.
   * An answer that can be resumed waits in silence, since its reader comes back.
   */
  function beginIfSlow(): () => void {
    if (answersJson && resumeKey !== null) return () => {}
    const beginStream = () => {
      const unanswered = opening.unanswered()
      if (unanswered) delivery.stream(unanswered.headers)
    }
    const timer = answersJson
      ? setTimeout(delivery.beginJson, limits.jsonSilenceMsMax)
      : setTimeout(beginStream, limits.commentIntervalMs)
    return () => clearTimeout(timer)
  }

  async function checkpoint(): Promise<Checkpoint | null> {
    const upstream = stream?.upstream ?? opening.upstreamBilling(null)
    if (!upstream || isFree) return null
    const evidence = stream?.reader.evidence('failed')
    const count = await (evidence ? evidence.localCount() : opening.costWithoutAnswer())
    return checkpointOf(count, evidence?.hasOutput ?? false, {
      upstreamId: upstream.id,
      durationMs: elapsedMs(),
      timeToFirstTokenMs,
    })
  }

  async function deliverStream(opened: OpenedStream) {
    stream = opened
    timeToFirstTokenMs = elapsedMs()
    const { sink, keep } = delivery.stream(opened.headers)
    if (leaving.cause === 'disconnected') delivery.abandon()
    if (opened.first) sink.write(opened.first)
    leaving.noteProgress()
    try {
      return await relayToItsEnd(opened, sink, keep)
    } catch (error) {
      // Whatever went wrong, no reader may be left waiting.
      sink.fail(error instanceof Error ? error : new Error('The answer ended early.'))
      throw error
    }
  }

  async function relayToItsEnd(opened: OpenedStream, sink: Sink, keep: () => Promise<void>) {
    const { reader, upstream } = opened
    const relayed = await relay(opened, {
      sink,
      betweenBytesTimeoutMs: times.betweenBytesTimeoutMs,
      signal,
      onProgress: leaving.noteProgress,
    })
    if (relayed.status === 'failed' && !signal.aborted) countError(upstream, 'broken_off')
    // It was read to its end after its reader had left.
    const end =
      leaving.cause && relayed.status === 'completed' ? { ...relayed, status: leaving.cause } : relayed
    const { charge, settlement } = await concludeWith({
      end,
      upstream,
      evidence: reader.evidence(costEndOf(end)),
      isRefused: reader.ended === 'failed',
    })
    const shownEnd = relayed.status === 'disconnected' ? { ...end, error: abandonedByReader() } : end
    const lastWords = reader.lastWords({ end: shownEnd, charge, settlement, exchangeId: holdId })
    if (lastWords === null) {
      sink.fail(new Error(end.error?.message ?? 'The answer was stopped.'))
      return { end, settlement }
    }
    if (lastWords.length > 0) sink.write(lastWords)
    // Kept before the stream ends: a client that has seen the end may ask for the answer again at once.
    await keep()
    sink.end()
    return { end, settlement }
  }

  async function deliverWhole({ upstream, answer }: OpenedWhole) {
    timeToFirstTokenMs = elapsedMs()
    const end = COMPLETED
    const { charge, settlement } = await concludeWith({ end, upstream, evidence: answer.evidence() })
    const written = await answer.write({ charge, settlement })
    // Where LiteLLM reads what it books for a key; without it, its budgets would count whole answers as free.
    const headers = { ...written.headers, 'x-litellm-response-cost': formatUsd(settlement.chargedNano) }
    await delivery.whole({ ...written, headers })
    return { end, settlement }
  }

  /** No upstream began to answer, or its answer could not be passed on. */
  async function refuse(cause: unknown): Promise<{ end: ExchangeEnd; settlement: Settlement }> {
    if (concluded) {
      await delivery.refuse(failedAfterCharge(cause, concluded.settlement.chargedNano), () => null)
      return concluded
    }
    const end = endOfRefusal(cause, signal)
    const error = end.error ?? new ApiError('conflict', 'The request was stopped before it was answered.')
    const { charge, settlement } = await concludeWith({
      end,
      upstream: opening.upstreamBilling(cause),
      evidence: cause instanceof BilledFailure ? cause.evidence : null,
      isRefused: true,
      unseen: unseenPart(cause, end),
    })
    const lastWords = () =>
      opening.unanswered()?.reader.lastWords({ end, charge, settlement, exchangeId: holdId }) ?? null
    await delivery.refuse(error, lastWords)
    return { end, settlement }
  }

  async function concludeWith(outcome: {
    end: ExchangeEnd
    upstream: UpstreamSettings | null
    evidence: Evidence | null
    isRefused?: boolean
    unseen?: UnseenPart
  }): ReturnType<typeof conclude> {
    const { charge, settlement } = await conclude(context, {
      isRefused: false,
      unseen: 'some',
      ...outcome,
      holdId,
      modelId,
      heldNano,
      isFree,
      costWithoutAnswer: opening.costWithoutAnswer,
      timing: { durationMs: elapsedMs(), timeToFirstTokenMs },
    })
    concluded = { end: outcome.end, settlement }
    return { charge, settlement }
  }
}
