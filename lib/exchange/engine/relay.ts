import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isStillSilent } from '@/lib/http/is-still-silent'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { EventTooLargeError } from '@/lib/upstream/event-stream'
import { inBandRefusal } from '@/lib/upstream/read-refusal'
import type { Sink } from './direct-sink'
import { COMPLETED, type ExchangeEnd, endOfAbort, failed } from './ends'
import { failureOf, type StreamReader } from './kind'

/** After the stream's own last event, the connection has this long to end properly, so that it can be used again. */
const TAIL_TIMEOUT_MS = 1_000

export interface OpenStream {
  upstream: UpstreamSettings
  response: IncomingMessage
  reader: StreamReader
}

/**
 * Reads until there is something to pass on or the stream says that it has ended, and leaves the response paused.
 *
 * @throws UpstreamFailure if the answer fails, ends, breaks off or stalls before its first bytes
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
    const stopWatching = watch(response, input, {
      onData: chunk => take(() => reader.push(chunk)),
      onEnd: () => {
        if (!take(() => reader.flush()))
          fail('refused', 'The upstream ended its answer without sending anything usable.')
      },
      onClose: () => giveUp(cutBeforeItBegan()),
      onSilence: () => fail('timeout', 'The upstream did not start its answer in time.'),
      onAbort: () => giveUp(signal.reason),
    })
    function giveUp(reason: unknown): void {
      stopWatching()
      response.destroy()
      reject(reason)
    }
    function fail(kind: 'refused' | 'timeout', message: string): void {
      giveUp(new UpstreamFailure(kind, message, { mayBill: true }))
    }
    /** @returns false if more has to be read first */
    function take(read: () => Buffer | null): boolean {
      try {
        const bytes = read()
        if (bytes === null && reader.ended === null) return false
        stopWatching()
        response.pause()
        resolve(bytes)
      } catch (error) {
        // Whatever an upstream sends, it must not crash the process.
        giveUp(new UpstreamFailure('refused', messageOf(error), { mayBillAll: true }))
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
 * Passes on what arrives until the stream ends, with one write for each chunk. While the sink wants no more, the
 * upstream is paused, and its silence is not timed.
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
        onSilence: () =>
          breakOff(
            failed('upstream_timeout', 'The model stopped sending its answer, and the time-out was reached.'),
          ),
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
        finish(failed('upstream_error', 'The model reported an error while it was answering.'))
      else if (reader.ended === 'done') finish(COMPLETED)
      return reader.ended !== null
    }
    function forward(bytes: Buffer | null): void {
      if (bytes !== null && !sink.write(bytes)) response.pause()
    }
    /** @returns false if it could not be read, which ends the exchange */
    function take(read: () => Buffer | null): boolean {
      try {
        forward(read())
        return true
      } catch (error) {
        // Whatever an upstream sends, it must not crash the process.
        finish(failed('upstream_error', messageOf(error)))
        return false
      }
    }
    function onData(chunk: Buffer): void {
      if (take(() => reader.push(chunk)) && !endedByItself()) input.onProgress(chunk.length)
    }
    function onEnd(): void {
      if (!take(() => reader.flush()) || endedByItself()) return
      if (reader.isComplete()) finish(COMPLETED)
      else onClose()
    }
    function onClose(): void {
      breakOff(failed('upstream_error', 'The connection to the model ended before its answer was complete.'))
    }
    function breakOff(end: ExchangeEnd): void {
      finish(reader.hasEverything() ? COMPLETED : end)
    }
  })
}

interface Listeners {
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onClose: () => void
  onSilence: () => void
  onAbort: () => void
  /** While the upstream is paused for a slow reader, its silence does not count. */
  isWaitingForReader?: () => boolean
}

/** Listens to a body; each chunk restarts the time-out for silence. @returns how to stop listening */
function watch(
  response: IncomingMessage,
  input: { timeoutMs: number; signal: AbortSignal },
  listeners: Listeners,
): () => void {
  const { onEnd, onClose, onAbort } = listeners
  let heardCount = 0
  const timer = setTimeout(async () => {
    if (listeners.isWaitingForReader?.()) timer.refresh()
    else if (await isStillSilent(() => heardCount)) listeners.onSilence()
  }, input.timeoutMs)
  const onData = (chunk: Buffer) => {
    heardCount += 1
    timer.refresh()
    listeners.onData(chunk)
  }
  const stopWatching = () => {
    heardCount += 1
    clearTimeout(timer)
    input.signal.removeEventListener('abort', onAbort)
    response.off('data', onData).off('end', onEnd).off('close', onClose)
  }
  input.signal.addEventListener('abort', onAbort, { once: true })
  response.on('data', onData).on('end', onEnd).on('close', onClose)
  return stopWatching
}

function cutBeforeItBegan(): UpstreamFailure {
  return new UpstreamFailure('refused', 'The upstream closed the connection before its answer began.', {
    mayBill: true,
  })
}

function messageOf(error: unknown): string {
  return error instanceof EventTooLargeError
    ? error.message
    : 'The model sent an answer that could not be read.'
}

/**
 * Reads what follows the stream's own last event, which is only the end of the body. Once that is read, the connection
 * can serve the next request.
 */
function letTailPass(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), TAIL_TIMEOUT_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
  response.resume()
}
