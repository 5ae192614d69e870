import 'server-only'
import type { PushedBody } from '@/lib/http/direct-response'

/** Ignored by whoever reads events, as the SSE standard says. OpenRouter sends such comments, too. */
export const COMMENT = Buffer.from(': waiting for the model\n\n')

/**
 * Tells the reader of events by a comment that a silent answer is still awaited: at once if nothing of it is there yet,
 * so that its headers are sent, and whenever nothing has come for so long. Comments are not part of the answer, and are
 * not kept. What is written ends with an event, so a comment is never in the middle of one.
 */
export function withComments(
  body: PushedBody,
  { intervalMs, isAwaited }: { intervalMs: number; isAwaited: () => boolean },
): PushedBody {
  return {
    writeTo(reader) {
      let isBegun = false
      let isFull = false
      const write = (bytes: Uint8Array) => {
        isBegun = true
        isFull = !reader.write(bytes)
        return !isFull
      }
      // A reader that takes nothing is not waiting for the model.
      const comment = () => {
        if (!isFull && isAwaited()) write(COMMENT)
      }
      const timer = setInterval(comment, intervalMs)
      const over = () => {
        isBegun = true
        clearInterval(timer)
      }
      const source = body.writeTo({
        write(bytes) {
          timer.refresh()
          return write(bytes)
        },
        end() {
          over()
          reader.end()
        },
        fail(error) {
          over()
          reader.fail(error)
        },
      })
      if (!isBegun) comment()
      return {
        ready() {
          isFull = false
          source.ready()
        },
        gone() {
          over()
          source.gone()
        },
      }
    },
  }
}
