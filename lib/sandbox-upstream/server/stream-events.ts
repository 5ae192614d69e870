import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'

const DONE = 'data: [DONE]\n\n'

/** Server-sent events at an even pace, made only as fast as they are read; ends when the reader leaves. */
export function streamEvents(events: Iterable<object>, paceMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.iterator]()
  const left = new AbortController()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (paceMs > 0) await wait(paceMs, undefined, { signal: left.signal }).catch(() => {})
        if (left.signal.aborted) return
        const next = iterator.next()
        controller.enqueue(encoder.encode(next.done ? DONE : `data: ${JSON.stringify(next.value)}\n\n`))
        if (next.done) controller.close()
      },
      cancel() {
        left.abort()
      },
    },
    { highWaterMark: 1 },
  )
}
