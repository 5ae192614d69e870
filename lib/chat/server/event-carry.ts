import 'server-only'
import { EVENT_BYTES_MAX } from '../domain/exchange-limits'
import { endsAtBoundary, lastBoundary } from './event-boundary'

/** A blank line is at most this long less one byte, so it can begin in what was carried. */
const BOUNDARY_OVERLAP_BYTES = 3

export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError'
}

export interface EventCarry {
  /**
   * Everything up to the last complete event, or null when none has ended yet. A chunk that ends with
   * an event, as nearly all do, comes back as it is, without a copy.
   * @throws EventTooLargeError
   */
  push(chunk: Buffer): Buffer | null
  /** An event that its upstream never closed with a blank line. */
  takeRest(): Buffer | null
}

/** Holds back the unfinished event at the end of the bytes seen so far. Each byte is copied at most twice. */
export function createEventCarry(): EventCarry {
  let pieces: Buffer[] = []
  let byteCount = 0

  function keep(piece: Buffer): void {
    byteCount += piece.length
    if (byteCount > EVENT_BYTES_MAX) throw new EventTooLargeError('An event of the upstream is too large.')
    if (piece.length > 0) pieces.push(piece)
  }

  function take(): Buffer {
    const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    byteCount = 0
    return all
  }

  function overlap(): Buffer {
    let tail = Buffer.alloc(0)
    for (let index = pieces.length - 1; index >= 0 && tail.length < BOUNDARY_OVERLAP_BYTES; index -= 1) {
      const piece = pieces[index]
      if (piece) tail = Buffer.concat([piece.subarray(-BOUNDARY_OVERLAP_BYTES), tail])
    }
    return tail
  }

  return {
    push(chunk) {
      if (byteCount === 0 && endsAtBoundary(chunk)) return chunk
      const hasBoundary =
        byteCount === 0 ? lastBoundary(chunk) > 0 : lastBoundary(Buffer.concat([overlap(), chunk])) > 0
      keep(chunk)
      if (!hasBoundary) return null
      const all = take()
      const end = lastBoundary(all)
      keep(all.subarray(end))
      return end === 0 ? null : all.subarray(0, end)
    },
    takeRest: () => (byteCount === 0 ? null : take()),
  }
}
