import 'server-only'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { z } from 'zod'
import { ANSWER_BYTES_MAX } from '../../domain/metering-limits'

/** The head of a kept answer. */
export interface ReplayHead {
  status: number
  contentType: string
  /** Entry n is event n + 1 of a stream, and a reader can continue behind any of them. */
  numbered: boolean
  /** Beside the content type; absent where there are none. */
  headers?: Record<string, string>
}

const LENGTH_BYTES = 4
/** The largest answer there is, and its head. */
const DECODED_BYTES_MAX = 2 * ANSWER_BYTES_MAX
const encodedHead = z.object({
  status: z.int(),
  contentType: z.string(),
  numbered: z.boolean(),
  headers: z.record(z.string(), z.string()).optional(),
  lengths: z.array(z.int()),
})

/** Away from the thread that relays everybody else's answers. */
const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Layout, compressed: length of the head, the head as JSON with the length of each entry, the entries. */
export async function encodeReplay(head: ReplayHead, entries: readonly Buffer[]): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify({ ...head, lengths: entries.map(entry => entry.length) }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return deflate(Buffer.concat([length, json, ...entries]), { level: 1 })
}

export async function decodeReplay(encoded: Buffer): Promise<{
  head: ReplayHead
  /** Null when there are fewer entries. */
  bodyAfter: (entryCount: number) => Buffer | null
}> {
  const bytes = await inflate(encoded, { maxOutputLength: DECODED_BYTES_MAX })
  const bodyStart = LENGTH_BYTES + bytes.readUInt32BE(0)
  const { lengths, ...head } = encodedHead.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, bodyStart)))
  return {
    head,
    bodyAfter(entryCount) {
      if (entryCount > lengths.length) return null
      const skippedBytes = lengths.slice(0, entryCount).reduce((sum, length) => sum + length, 0)
      return bytes.subarray(bodyStart + skippedBytes)
    },
  }
}
