import 'server-only'
import { createDirectSink } from '@/lib/ledger/server/metering/direct-sink'
import {
  COMPLETED,
  type ExchangeEnd,
  ExchangeStopped,
  endOfAbort,
  failed,
} from '@/lib/ledger/server/metering/exchange-stopped'
import { keepReplay } from '@/lib/ledger/server/metering/keep-replay'
import type { Settlement } from '@/lib/ledger/server/metering/resolve-exchange'
import type { Sink } from '@/lib/ledger/server/metering/sink'
import { concludeExchange } from './conclude-exchange'
import { createEventLog } from './event-log'
import type { ExchangeContext } from './exchange-context'
import { chargedUsage, DONE_EVENT, errorEvent, usageEvent } from './final-events'
import type { OpenedAnswer } from './open-answer'
import { type PumpEnd, pumpEvents } from './pump-events'
import type { RunInput } from './run-exchange'
import type { Answer } from './running-exchange'

export interface RelayInput extends Omit<RunInput, 'opening'> {
  inputTokenCountEstimate: number
  onAnswer: (answer: Answer) => void
}

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Asks proxies such as nginx to pass every event on at once.
  'x-accel-buffering': 'no',
}

/** Passes a stream on until it ends, settles, and then says what it cost. */
export async function relayStream(
  context: ExchangeContext,
  input: RelayInput & { opened: Extract<OpenedAnswer, { kind: 'stream' }> },
): Promise<Settlement> {
  const { opened, abort, replayKeys } = input
  const { filter, response } = opened
  const timeToFirstTokenMs = Math.round(context.now() - input.startedAtMs)
  const kept = replayKeys.resumeKey !== null || replayKeys.idempotencyKey !== null
  const numbered = replayKeys.resumeKey !== null
  const log = kept ? createEventLog({ numbered }) : null
  const sink = log ?? openDirectSink(context, input)
  if (log) input.onAnswer({ status: 200, headers: EVENT_STREAM_HEADERS, read: log.read })

  if (opened.first) sink.write(opened.first)
  const pumped = await pumpEvents({
    response,
    filter,
    sink,
    betweenBytesTimeoutMs: context.limits.betweenBytesTimeoutMs,
    signal: abort.signal,
  })
  const end = endOfPump(pumped, abort.signal)
  const { charge, settlement } = await concludeExchange(context, {
    holdId: input.holdId,
    end,
    upstreamId: opened.upstreamId,
    generationId: filter.envelope?.id ?? null,
    facts: {
      ...input.pricing,
      reports: filter.usageReports,
      delivered: filter.delivered(),
      inputTokenCountEstimate: input.inputTokenCountEstimate,
    },
    timing: { durationMs: Math.round(context.now() - input.startedAtMs), timeToFirstTokenMs },
  })
  const usage = usageEvent({
    exchangeId: input.holdId,
    modelId: input.modelId,
    envelope: filter.envelope,
    usage: chargedUsage(charge, settlement),
  })
  writeEnd(sink, usage, end)
  if (log) {
    const head = { status: 200, contentType: EVENT_STREAM_HEADERS['content-type'], numbered }
    const ids = { exchangeId: input.holdId, accountId: input.accountId }
    await keepReplay(context, { ...ids, replayKeys, head, entries: log.events() })
  }
  return settlement
}

function openDirectSink(context: ExchangeContext, { abort, onAnswer }: RelayInput): Sink {
  const sink = createDirectSink({
    stallTimeoutMs: context.limits.readerStallTimeoutMs,
    onGone: () => abort.abort(new ExchangeStopped('disconnected')),
  })
  let taken = false
  onAnswer({
    status: 200,
    headers: EVENT_STREAM_HEADERS,
    read() {
      if (taken) return null
      taken = true
      return sink.body
    },
  })
  return sink
}

function writeEnd(sink: Sink, usage: Buffer, end: ExchangeEnd): void {
  sink.write(Buffer.concat([usage, end.error ? errorEvent(end.error) : DONE_EVENT]))
  sink.end()
}

function endOfPump(pumped: PumpEnd, signal: AbortSignal): ExchangeEnd {
  switch (pumped.kind) {
    case 'completed':
      return COMPLETED
    case 'failed':
      return failed(pumped.code, pumped.message)
    case 'aborted':
      return endOfAbort(signal)
  }
}
