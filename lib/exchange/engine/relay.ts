import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { EventTooLargeError } from '@/lib/upstream/event-stream'
import { inBandRefusal } from '@/lib/upstream/read-refusal'
import type { Sink } from './direct-sink'
import { COMPLETED, type ExchangeEnd, endOfAbort, failed } from './ends'
import { failureOf, type StreamReader } from './kind'

/** How long a finished connection may take to close by itself and be used again. */
const TAIL_TIMEOUT_MS = 1_000

export interface OpenStream {
  upstream: UpstreamSettings
  response: IncomingMessage
  reader: StreamReader
}

/**
 * Reads until there is something to hand on, or the stream tells its own end; leaves the response paused.
 *
 * @throws UpstreamFailure when the answer fails, ends, is cut or stalls before it began
 */
export async function readFirst(
  { response, reader, upstream }: OpenStream,
  input: { timeoutMs: number; signal: AbortSignal },
): Promise<Buffer | null> {
  const first = await new Promise<Buffer | null>((resolve, reject) => {
    const { signal } = input
    if (signal.aborted || response.destroyed) {
      response.destroy()
      return reject(signal.aborted ? signal.reason : cutBeforeItBegan())
    }
    const settled = watch(response, input, {
      onData: chunk => take(() => reader.push(chunk)),
      onEnd: () => {
        if (!take(() => reader.flush())) fail('refused', 'The upstream ended its answer before it began.')
      },
      onClose: () => give(() => reject(cutBeforeItBegan())),
      onSilence: () => fail('timeout', 'The upstream did not begin its answer in time.'),
      onAbort: () => give(() => reject(signal.reason)),
    })
    function give(act: () => void): void {
      settled()
      response.destroy()
      act()
    }
    function fail(kind: 'refused' | 'timeout', message: string): void {
      give(() => reject(new UpstreamFailure(kind, message, { mayBill: true })))
    }
    function take(look: () => Buffer | null): boolean {
      try {
        const bytes = look()
        if (bytes === null && reader.ended === null) return false
        settled()
        response.pause()
        resolve(bytes)
      } catch (error) {
        // Nothing that an upstream sends may end the process.
        give(() => reject(new UpstreamFailure('refused', messageOf(error), { mayBillAll: true })))
      }
      return true
    }
    response.resume()
  })
  if (first !== null || reader.ended !== 'failed') return first
  response.destroy()
  throw failureOf(inBandRefusal(reader.error, upstream), reader.evidence('failed'))
}

/**
 * Hands on what comes until the stream ends: one chunk of the upstream, one write. When the sink wants no
 * more, the upstream is paused, and with it the clock between bytes.
 *
 * @param onProgress called after each chunk, with its length
 */
export function relay(
  { response, reader }: OpenStream,
  input: {
    sink: Sink
    betweenBytesTimeoutMs: number
    signal: AbortSignal
    onProgress: (byteCount: number) => void
  },
): Promise<ExchangeEnd> {
  const { sink, signal } = input
  return new Promise(resolve => {
    let stopWatching: (() => void) | null = null
    if (signal.aborted) return finish(endOfAbort(signal))
    if (endedByItself()) return
    if (response.readableEnded) return onEnd()
    if (response.destroyed) return onClose()
    stopWatching = watch(
      response,
      { timeoutMs: input.betweenBytesTimeoutMs, signal },
      {
        onData,
        onEnd,
        onClose,
        onSilence: () => finish(failed('upstream_timeout', 'The model stopped answering.')),
        onAbort: () => finish(endOfAbort(signal)),
        isWaitingForReader: () => !sink.wantsMore(),
      },
    )
    sink.onReady(() => response.resume())
    if (sink.wantsMore()) response.resume()

    function finish(end: ExchangeEnd): void {
      stopWatching?.()
      sink.onReady(null)
      if (reader.ended === 'done') letTailPass(response)
      else if (!response.readableEnded) response.destroy()
      resolve(end)
    }
    function endedByItself(): boolean {
      if (reader.ended === 'failed')
        finish(failed('upstream_error', 'The model failed while it was answering.'))
      else if (reader.ended === 'done') finish(COMPLETED)
      return reader.ended !== null
    }
    function forward(bytes: Buffer | null): void {
      if (bytes !== null && !sink.write(bytes)) response.pause()
    }
    /** False when it could not be read: that was the end. */
    function take(look: () => Buffer | null): boolean {
      try {
        forward(look())
        return true
      } catch (error) {
        // Nothing that an upstream sends may end the process.
        finish(failed('upstream_error', messageOf(error)))
        return false
      }
    }
    function onData(chunk: Buffer): void {
      if (take(() => reader.push(chunk)) && !endedByItself()) input.onProgress(chunk.length)
    }
    function onEnd(): void {
      if (!take(() => reader.flush()) || endedByItself()) return
      if (response.complete && reader.isComplete()) finish(COMPLETED)
      else onClose()
    }
    function onClose(): void {
      finish(failed('upstream_error', 'The model broke off its answer.'))
    }
  })
}

interface Listeners {
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onClose: () => void
  onSilence: () => void
  onAbort: () => void
  /** Paused for its reader, an upstream is not silent. */
  isWaitingForReader?: () => boolean
}

/** Listens to a body until told otherwise; each chunk starts the clock of silence anew. */
function watch(
  response: IncomingMessage,
  input: { timeoutMs: number; signal: AbortSignal },
  listeners: Listeners,
): () => void {
  const { onEnd, onClose, onAbort } = listeners
  const timer = setTimeout(() => {
    if (listeners.isWaitingForReader?.()) timer.refresh()
    else listeners.onSilence()
  }, input.timeoutMs)
  const onData = (chunk: Buffer) => {
    timer.refresh()
    listeners.onData(chunk)
  }
  const settled = () => {
    clearTimeout(timer)
    input.signal.removeEventListener('abort', onAbort)
    response.off('data', onData).off('end', onEnd).off('close', onClose)
  }
  input.signal.addEventListener('abort', onAbort, { once: true })
  response.on('data', onData).on('end', onEnd).on('close', onClose)
  return settled
}

function cutBeforeItBegan(): UpstreamFailure {
  return new UpstreamFailure('refused', 'The upstream cut its answer before it began.', { mayBill: true })
}

function messageOf(error: unknown): string {
  return error instanceof EventTooLargeError ? error.message : 'The answer of the model could not be read.'
}

/** Behind its own end only the end of the body is left; read, the connection serves the next request. */
function letTailPass(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), TAIL_TIMEOUT_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
  response.resume()
}
