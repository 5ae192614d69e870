import 'server-only'
import type { IncomingMessage } from 'node:http'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { EventTooLargeError } from './event-carry'
import type { EventFilter } from './event-filter'

/**
 * Reads until there is something to forward, the stream tells an error, or it is done; leaves the
 * response paused. As long as nothing was forwarded, another upstream can still be asked.
 *
 * @throws UpstreamFailure when the answer ends, is cut or stalls before its first event
 */
export function readFirstEvents(input: {
  response: IncomingMessage
  filter: EventFilter
  timeoutMs: number
  signal: AbortSignal
}): Promise<Buffer | null> {
  const { response, filter, signal } = input
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => fail('timeout', 'The upstream did not begin its answer in time.'),
      input.timeoutMs,
    )
    const settled = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      response.off('data', onData)
      response.off('end', onEnd)
      response.off('close', onClose)
    }
    const fail = (kind: 'refused' | 'timeout', message: string) => {
      settled()
      response.destroy()
      reject(new UpstreamFailure(kind, message))
    }
    const onAbort = () => {
      settled()
      response.destroy()
      reject(signal.reason)
    }
    const finish = (first: Buffer | null) => {
      settled()
      response.pause()
      resolve(first)
    }
    const onData = (chunk: Buffer) => {
      try {
        const first = filter.push(chunk)
        if (first !== null || filter.error !== null || filter.done) finish(first)
      } catch (error) {
        // Nothing that an upstream sends may end the process.
        fail('refused', error instanceof EventTooLargeError ? error.message : 'The answer could not be read.')
      }
    }
    const onEnd = () => {
      const first = filter.flush()
      if (first !== null || filter.error !== null || filter.done) finish(first)
      else fail('refused', 'The upstream ended its answer before it began.')
    }
    const onClose = () => fail('refused', 'The upstream cut its answer before it began.')
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    response.on('data', onData)
    response.on('end', onEnd)
    response.on('close', onClose)
    response.resume()
  })
}
