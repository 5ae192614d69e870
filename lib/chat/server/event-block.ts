import 'server-only'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Enough repetition to shrink a stream's events some twentyfold, and less than a millisecond of work. */
export const BLOCK_BYTES = 64 * 1024
/** A block beyond this has an image in it, which does not shrink and would hold up every other stream. */
const PACKED_BYTES_MAX = 2 * BLOCK_BYTES
/** The fastest that zlib knows; its best would halve the rest again at five times the work. */
const COMPRESSION_LEVEL = 1

/** Consecutive events that are past: kept small, and taken apart again for a reader who comes late. */
export interface EventBlock {
  readonly firstIndex: number
  readonly eventCount: number
  /** Of the events themselves, whatever the block takes up. */
  readonly byteCount: number
  events(): readonly Buffer[]
}

export function packBlock(firstIndex: number, events: readonly Buffer[], byteCount: number): EventBlock {
  const head = { firstIndex, eventCount: events.length, byteCount }
  if (byteCount > PACKED_BYTES_MAX) return { ...head, events: () => events }
  const lengths = Uint32Array.from(events, event => event.length)
  const packed = deflateRawSync(Buffer.concat(events), { level: COMPRESSION_LEVEL })
  return { ...head, events: () => unpack(packed, lengths) }
}

function unpack(packed: Buffer, lengths: Uint32Array): Buffer[] {
  const bytes = inflateRawSync(packed)
  let start = 0
  return Array.from(lengths, length => {
    start += length
    return bytes.subarray(start - length, start)
  })
}
