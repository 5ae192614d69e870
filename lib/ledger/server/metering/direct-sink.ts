import 'server-only'
import { READ_AHEAD_BYTES_MAX } from '../../domain/metering-limits'
import type { Sink } from './sink'

export interface DirectSink extends Sink {
  readonly body: ReadableStream<Uint8Array>
  /** Breaks the body off: its reader learns that it is not whole. */
  fail(error: Error): void
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
    release()
    input.onGone()
  }
  function release(): void {
    if (stallTimer) clearTimeout(stallTimer)
    stallTimer = null
    controller = null
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
    write(bytes) {
      controller?.enqueue(bytes)
      if (wantsMore()) return true
      stallTimer ??= setTimeout(() => {
        controller?.error(new Error('The reader took nothing for too long.'))
        gone()
      }, input.stallTimeoutMs)
      return false
    },
    end() {
      const open = controller
      release()
      open?.close()
    },
    fail(error) {
      const open = controller
      release()
      open?.error(error)
    },
    wantsMore,
    onReady(listener) {
      ready = listener
    },
  }
}
