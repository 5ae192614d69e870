import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Framing } from './upstream-script'

/** Writes SSE events with a chosen framing; waits for a slow reader. */
export function createEventWriter(response: ServerResponse, framing: Framing) {
  const lineEnd = framing.lineEnd ?? '\n'
  let kept = ''
  const send = (text: string): Promise<void> => {
    if (!framing.coalesced) return writeBytes(response, Buffer.from(text), framing.bytesPerWriteMax)
    kept += text
    return Promise.resolve()
  }
  return {
    event(data: string, name?: string) {
      return send(`${name ? `event: ${name}${lineEnd}` : ''}data: ${data}${lineEnd}${lineEnd}`)
    },
    raw: send,
    /** Passes everything to the connection, including what was held back (coalesced framing). */
    async flush() {
      const text = kept
      kept = ''
      await writeBytes(response, Buffer.from(text), framing.bytesPerWriteMax)
      // node:http corks a response until the next tick, and the next step may cut the connection.
      await nextTurn()
    },
  }
}

async function writeBytes(
  response: ServerResponse,
  bytes: Buffer,
  pieceBytesMax = bytes.length,
): Promise<void> {
  for (let start = 0; start < bytes.length; start += pieceBytesMax) {
    if (response.destroyed) return
    const accepted = response.write(bytes.subarray(start, start + pieceBytesMax))
    if (!accepted) await drained(response)
    // A turn of the event loop between pieces, so that each leaves in a packet of its own.
    if (start + pieceBytesMax < bytes.length) await nextTurn()
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
