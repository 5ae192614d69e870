import 'server-only'
import { READ_AHEAD_BYTES_MAX } from '../domain/exchange-limits'

/** Where an answer goes: straight to its one reader, or into a log that several can read. */
export interface Sink {
  /** Never refuses; false means that the sink wants no more until it is ready again. */
  write(bytes: Uint8Array): boolean
  end(): void
  /** Breaks the answer off: its readers learn that it is not whole. */
  fail(error: Error): void
  wantsMore(): boolean
  /** The one who waits for readiness; null takes it back. */
  onReady(listener: (() => void) | null): void
}

export interface DirectSink extends Sink {
  readonly body: ReadableStream<Uint8Array>
  /** Its reader is known to be gone: what is read on behind its back waits for nobody. */
  abandon(): void
}

/**
 * Hands bytes to one reader and keeps nothing. A reader that leaves, or takes nothing for
 * `stallTimeoutMs`, is reported once.
 */
export function createDirectSink(input: { stallTimeoutMs: number; onGone: () => void }): DirectSink {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let ready: (() => void) | null = null
  let stallTimer: NodeJS.Timeout | null = null

  function gone(): void {
    abandon()
    input.onGone()
  }
  function abandon(): void {
    release()
    ready?.()
  }
  function release(): ReadableStreamDefaultController<Uint8Array> | null {
    if (stallTimer) clearTimeout(stallTimer)
    stallTimer = null
    const open = controller
    controller = null
    return open
  }
  const wantsMore = () => (controller?.desiredSize ?? 1) > 0

  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created
      },
      pull() {
        if (stallTimer) clearTimeout(stallTimer)
        stallTimer = null
        ready?.()
      },
      cancel: gone,
    },
    { highWaterMark: READ_AHEAD_BYTES_MAX, size: chunk => chunk.byteLength },
  )

  return {
    body,
    abandon,
    write(bytes) {
      controller?.enqueue(bytes)
      if (wantsMore()) return true
      stallTimer ??= setTimeout(() => {
        controller?.error(new Error('The reader took nothing for too long.'))
        gone()
      }, input.stallTimeoutMs)
      return false
    },
    end: () => release()?.close(),
    fail: error => release()?.error(error),
    wantsMore,
    onReady(listener) {
      ready = listener
    },
  }
}
