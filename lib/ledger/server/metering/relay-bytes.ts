import 'server-only'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { TRANSCRIPT_BYTES_MAX } from '../../domain/metering-limits'
import type { StreamedAnswer } from './call-answer'
import { createDirectSink } from './direct-sink'
import { COMPLETED, type ExchangeEnd, ExchangeStopped, endOfAbort, failed } from './exchange-stopped'
import { replyHeaders } from './metered-reply'
import type { Metering } from './metering'
import { type BytesEnd, pumpBytes } from './pump-bytes'
import type { HandOn } from './run-call'

/** Passes bytes on until they end, and settles for what was delivered. Nothing that is cut passes for whole. */
export async function relayBytes(
  metering: Metering,
  input: HandOn & { answer: StreamedAnswer; startedAtMs: number },
): Promise<void> {
  const { answer, abort, holdId } = input
  const { contentType, headers } = answer
  const kept = createKeptBytes(input.isKept ? TRANSCRIPT_BYTES_MAX : 0)
  let timeToFirstByteMs: number | null = null
  const sink = createDirectSink({
    stallTimeoutMs: metering.limits.readerStallTimeoutMs,
    onGone: () => abort.abort(new ExchangeStopped('disconnected')),
  })
  try {
    const pumped = await pumpBytes({
      response: answer.response,
      betweenBytesTimeoutMs: answer.betweenBytesTimeoutMs,
      signal: abort.signal,
      sink: {
        ...sink,
        write(bytes) {
          if (timeToFirstByteMs === null) {
            timeToFirstByteMs = Math.round(metering.now() - input.startedAtMs)
            const head = replyHeaders(holdId, contentType, headers)
            input.onReply({ status: 200, headers: head, body: sink.body })
          }
          kept.add(bytes)
          return sink.write(bytes)
        },
      },
    })
    const { byteCount } = pumped
    if (byteCount === 0) throw refusalOf(pumped, abort.signal)
    const whole = pumped.kind === 'completed'
    const end = endOf(pumped, abort.signal)
    const charge = answer.charge({ byteCount, whole })
    // Before the last byte leaves: whoever has it finds what it cost.
    await input.resolve({ end, upstreamId: answer.upstreamId, charge, timeToFirstByteMs })
    if (!whole) throw new Error(end.error?.message ?? 'The answer was stopped.')
    const entries = kept.entries()
    if (entries) await input.keep({ contentType, headers, entries })
    sink.end()
  } catch (error) {
    sink.fail(error instanceof Error ? error : new Error('The answer was stopped.'))
    if (timeToFirstByteMs === null) throw error
  }
}

/** Collects what is passed on, as long as it is not too much to be kept. */
function createKeptBytes(bytesMax: number): { add(bytes: Uint8Array): void; entries(): Buffer[] | null } {
  let chunks: Buffer[] | null = bytesMax === 0 ? null : []
  let byteCount = 0
  return {
    add(bytes) {
      byteCount += bytes.byteLength
      if (byteCount > bytesMax) chunks = null
      chunks?.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    },
    entries: () => chunks,
  }
}

function endOf(pumped: BytesEnd, signal: AbortSignal): ExchangeEnd {
  switch (pumped.kind) {
    case 'completed':
      return COMPLETED
    case 'aborted':
      return endOfAbort(signal)
    case 'silent':
      return failed('upstream_timeout', 'The model stopped answering.')
    case 'cut':
      return failed('upstream_error', 'The model broke off its answer.')
  }
}

/** Nothing came at all: to the caller it is as if no upstream had answered. */
function refusalOf({ kind }: BytesEnd, signal: AbortSignal): unknown {
  if (kind === 'aborted') return signal.reason
  const message = 'The upstream sent an empty answer.'
  return new UpstreamFailure(kind === 'silent' ? 'timeout' : 'refused', message)
}
