import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Framing } from './upstream-script'

/** Writes SSE events with a chosen framing; waits for the reader when it is slow. */
export interface EventWriter {
  event(data: string): Promise<void>
  raw(text: string): Promise<void>
  /** Hands everything over to the connection, what is still kept back (coalesced framing) too. */
  flush(): Promise<void>
}

export function createEventWriter(response: ServerResponse, framing: Framing): EventWriter {
  const lineEnd = framing.lineEnd ?? '\n'
  let eventCount = 0
  let kept = ''
  const send = (text: string): Promise<void> => {
    if (!framing.coalesced) return writeBytes(response, Buffer.from(text), framing.bytesPerWriteMax)
    kept += text
    return Promise.resolve()
  }
  return {
    event(data) {
      eventCount += 1
      const field = framing.oddWhitespace && eventCount % 2 === 0 ? `data:${data}` : `data: ${data}`
      return send(`${field}${lineEnd}${lineEnd}`)
    },
    raw: send,
    async flush() {
      const text = kept
      kept = ''
      await writeBytes(response, Buffer.from(text), framing.bytesPerWriteMax)
      // node:http corks a response until the next tick; what follows may cut the connection.
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
    if (!accepted) await Promise.race([once(response, 'drain'), once(response, 'close')])
    // A turn of the event loop between pieces, so that each leaves in a packet of its own.
    if (start + pieceBytesMax < bytes.length) await nextTurn()
  }
}
