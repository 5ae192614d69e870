import 'server-only'
import { z } from 'zod'

/** The head of a kept answer. */
export interface ReplayHead {
  status: number
  contentType: string
  /** Entry n is event n + 1 of a stream, and a reader can continue behind any of them. */
  numbered: boolean
}

const LENGTH_BYTES = 4
const encodedHead = z.object({
  status: z.int(),
  contentType: z.string(),
  numbered: z.boolean(),
  lengths: z.array(z.int()),
})

/** Layout: length of the head, the head as JSON with the length of each entry, the entries. */
export function encodeReplay(head: ReplayHead, entries: readonly Buffer[]): Buffer {
  const json = Buffer.from(JSON.stringify({ ...head, lengths: entries.map(entry => entry.length) }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, ...entries])
}

export function decodeReplay(bytes: Buffer): {
  head: ReplayHead
  bodyAfter: (entryCount: number) => Buffer | null
} {
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
