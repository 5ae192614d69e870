import 'server-only'
import { type BodyWriter, type PushedBody, READ_AHEAD_BYTES_MAX } from '@/lib/http/direct-response'

/** Where an answer goes: straight to its one reader, or into a log that several can read. */
export interface Sink {
  /** Takes the bytes in any case; false means that no more should come until the sink is ready again. */
  write(bytes: Uint8Array): boolean
  end(): void
  /** Breaks the answer off, so that its readers notice that it is not whole. */
  fail(error: Error): void
  wantsMore(): boolean
  /** Sets the one listener for readiness; null removes it. */
  onReady(listener: (() => void) | null): void
}

export interface DirectSink extends Sink {
  readonly body: PushedBody
  /** Its reader is gone: what is still read from the upstream no longer waits for it. */
  abandon(): void
}

/**
 * Hands bytes to one reader. It keeps only what arrives before the reader does. A reader that leaves, or takes
 * nothing for `stallTimeoutMs`, is reported once.
 */
export function createDirectSink(input: { stallTimeoutMs: number; onGone: () => void }): DirectSink {
  let writer: BodyWriter | null = null
  let isFull = false
  let early: Uint8Array[] = []
  let earlyByteCount = 0
  /** How the body ends; null while it goes on. */
  let finish: ((writer: BodyWriter) => void) | null = null
  let ready: (() => void) | null = null
  let stallTimer: NodeJS.Timeout | null = null

  const wantsMore = () => finish !== null || (writer ? !isFull : earlyByteCount < READ_AHEAD_BYTES_MAX)

  function over(how: (writer: BodyWriter) => void): void {
    if (finish) return
    finish = how
    noStall()
    if (writer) finish(writer)
  }
  function abandon(): void {
    over(() => {})
    ready?.()
  }
  function gone(): void {
    if (finish) return
    abandon()
    input.onGone()
  }
  function noStall(): void {
    if (stallTimer) clearTimeout(stallTimer)
    stallTimer = null
  }

  return {
    body: {
      writeTo(reader) {
        writer = reader
        for (const bytes of early) isFull = !reader.write(bytes)
        early = []
        finish?.(reader)
        return {
          ready() {
            isFull = false
            noStall()
            ready?.()
          },
          gone,
        }
      },
    },
    abandon,
    write(bytes) {
      if (finish) return true
      if (writer) isFull = !writer.write(bytes)
      else {
        early.push(bytes)
        earlyByteCount += bytes.byteLength
      }
      if (wantsMore()) return true
      stallTimer ??= setTimeout(() => {
        over(reader => reader.fail(new Error('The client has read nothing for too long.')))
        ready?.()
        input.onGone()
      }, input.stallTimeoutMs)
      return false
    },
    end: () => over(reader => reader.end()),
    fail: error => over(reader => reader.fail(error)),
    wantsMore,
    onReady(listener) {
      ready = listener
    },
  }
}
