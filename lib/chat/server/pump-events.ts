import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { Sink } from '@/lib/ledger/server/metering/sink'
import { EventTooLargeError } from './event-carry'
import type { EventFilter } from './event-filter'

/** How an upstream's event stream came to its end. */
export type PumpEnd =
  /** `[DONE]`, or a proper end after some choice told why it ended. */
  | { kind: 'completed' }
  | { kind: 'aborted' }
  | { kind: 'failed'; code: 'upstream_error' | 'upstream_timeout'; message: string }

/** How long a finished connection may take to close by itself and be used again. */
const TAIL_TIMEOUT_MS = 1_000

/**
 * Forwards events as they come until the stream ends: one chunk of the upstream, one write. When the
 * sink wants no more, the upstream is paused, and with it the clock between bytes.
 */
export function pumpEvents(input: {
  response: IncomingMessage
  filter: EventFilter
  sink: Sink
  betweenBytesTimeoutMs: number
  signal: AbortSignal
}): Promise<PumpEnd> {
  const { response, filter, sink, signal } = input
  return new Promise(resolve => {
    const timer = setTimeout(() => {
      if (response.isPaused()) timer.refresh()
      else finish({ kind: 'failed', code: 'upstream_timeout', message: 'The model stopped answering.' })
    }, input.betweenBytesTimeoutMs)

    function finish(end: PumpEnd): void {
      clearTimeout(timer)
      sink.onReady(null)
      signal.removeEventListener('abort', onAbort)
      response.off('data', onData)
      response.off('end', onEnd)
      response.off('close', onClose)
      if (filter.done) letTailPass(response)
      else response.destroy()
      resolve(end)
    }
    /** True when the stream told its own end. */
    function checkEnd(): boolean {
      if (filter.error !== null) {
        finish({
          kind: 'failed',
          code: 'upstream_error',
          message: 'The model failed while it was answering.',
        })
      } else if (filter.done) finish({ kind: 'completed' })
      return filter.error !== null || filter.done
    }
    function forward(bytes: Buffer | null): void {
      if (bytes !== null && !sink.write(bytes)) response.pause()
    }
    function onData(chunk: Buffer): void {
      timer.refresh()
      try {
        forward(filter.push(chunk))
        checkEnd()
      } catch (error) {
        // Nothing that an upstream sends may end the process.
        const tooLarge = error instanceof EventTooLargeError
        finish(failure(tooLarge ? error.message : 'The answer of the model could not be read.'))
      }
    }
    function onEnd(): void {
      forward(filter.flush())
      if (checkEnd()) return
      if (filter.finished || filter.usageReports.length > 0) finish({ kind: 'completed' })
      else onClose()
    }
    function onClose(): void {
      finish(failure('The model broke off its answer.'))
    }
    function onAbort(): void {
      finish({ kind: 'aborted' })
    }

    if (signal.aborted) return onAbort()
    if (checkEnd()) return
    if (response.readableEnded) return onEnd()
    if (response.destroyed) return onClose()
    signal.addEventListener('abort', onAbort, { once: true })
    response.on('data', onData)
    response.on('end', onEnd)
    response.on('close', onClose)
    sink.onReady(() => response.resume())
    if (sink.wantsMore()) response.resume()
  })
}

function failure(message: string): PumpEnd {
  return { kind: 'failed', code: 'upstream_error', message }
}

/** Behind `[DONE]` only the end of the body is left; read, the connection serves the next request. */
function letTailPass(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), TAIL_TIMEOUT_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
  response.resume()
}
