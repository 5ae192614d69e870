import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { Sink } from './sink'

/** How a body came to its end, and how much of it came. */
export interface BytesEnd {
  kind: 'completed' | 'aborted' | 'silent' | 'cut'
  byteCount: number
}

/**
 * Forwards a body as it comes. When the sink wants no more, the upstream is paused, and with it the clock
 * between bytes.
 */
export function pumpBytes(input: {
  response: IncomingMessage
  sink: Sink
  betweenBytesTimeoutMs: number
  signal: AbortSignal
}): Promise<BytesEnd> {
  const { response, sink, signal } = input
  return new Promise(resolve => {
    let byteCount = 0
    const timer = setTimeout(() => {
      // Paused for its reader, an upstream is not silent.
      if (sink.wantsMore()) finish('silent')
      else timer.refresh()
    }, input.betweenBytesTimeoutMs)

    function finish(kind: BytesEnd['kind']): void {
      clearTimeout(timer)
      sink.onReady(null)
      signal.removeEventListener('abort', onAbort)
      response.off('data', onData)
      response.off('end', onEnd)
      response.off('close', onClose)
      if (kind !== 'completed') response.destroy()
      resolve({ kind, byteCount })
    }
    function onData(chunk: Buffer): void {
      timer.refresh()
      byteCount += chunk.length
      if (!sink.write(chunk)) response.pause()
    }
    function onEnd(): void {
      finish(response.complete ? 'completed' : 'cut')
    }
    function onClose(): void {
      finish('cut')
    }
    function onAbort(): void {
      finish('aborted')
    }

    if (signal.aborted) return onAbort()
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
