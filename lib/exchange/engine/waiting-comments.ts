import 'server-only'
import type { PushedBody } from '@/lib/http/direct-response'

/** Ignored by whoever reads events, as the SSE standard says. OpenRouter sends such comments, too. */
export const COMMENT = Buffer.from(': waiting for the model\n\n')

/** JSON may begin with white space (RFC 8259, section 2). OpenRouter and DeepSeek send it, too. */
export const WHITE_SPACE = Buffer.from('\n')

/**
 * Tells the reader of a silent answer that it is still awaited, by what means nothing in its format: at once if nothing
 * of it is there yet, so that its headers are sent, and again after every `intervalMs` of silence. Comments are not part
 * of the answer, and are not kept. Each write ends with the end of an event, so a comment is never in the middle of one.
 */
export function withComments(
  body: PushedBody,
  { text, intervalMs, isAwaited }: { text: Uint8Array; intervalMs: number; isAwaited: () => boolean },
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
        if (!isFull && isAwaited()) write(text)
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

/** A body that is still to come, in one piece. @param onGone its reader has left before */
export function bodyToCome(coming: Promise<Uint8Array>, onGone: () => void): PushedBody {
  return {
    writeTo(writer) {
      let isGone = false
      void coming.then(bytes => {
        if (isGone) return
        writer.write(bytes)
        writer.end()
      })
      return {
        ready() {},
        gone() {
          isGone = true
          onGone()
        },
      }
    },
  }
}
