import 'server-only'

/*
 * Written by hand because the relay passes on an upstream's bytes as they came, while eventsource-parser, which the
 * browser uses, yields an event's data but not its bytes. Writing them again takes longer than finding them: 100,000
 * chat events, one per chunk, take 59 ms here, and 103 ms with the parser and `data: …` written around its results (42
 * ms without). That would also lose comments and fields of the upstream's own.
 */

/** The longest event; images in answers are a few megabytes. */
export const EVENT_BYTES_MAX = 16 * 1024 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BLANK_LINE = Buffer.from('\n\n')
const BLANK_LINE_CRLF = Buffer.from('\n\r\n')
/** A stream may begin with it; the SSE standard ignores it. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Whether the bytes end with a blank line, so that no event is left open. */
function endsAtBoundary(bytes: Buffer): boolean {
  const length = bytes.length
  if (bytes[length - 1] !== LINE_FEED) return false
  if (bytes[length - 2] === LINE_FEED) return true
  return bytes[length - 2] === CARRIAGE_RETURN && bytes[length - 3] === LINE_FEED
}

/** Where the last complete event ends; 0 if none does. */
function lastBoundary(bytes: Buffer): number {
  const plain = bytes.lastIndexOf(BLANK_LINE)
  const crlf = bytes.lastIndexOf(BLANK_LINE_CRLF)
  return Math.max(plain < 0 ? 0 : plain + BLANK_LINE.length, crlf < 0 ? 0 : crlf + BLANK_LINE_CRLF.length)
}

/**
 * Where the event that starts at `start` ends; the end of the bytes for the last one. It searches line by line, since a
 * search for either kind of blank line would run to the end of the bytes for each event.
 */
export function nextBoundary(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at + 1] === LINE_FEED) return at + 2
    if (bytes[at + 1] === CARRIAGE_RETURN && bytes[at + 2] === LINE_FEED) return at + 3
  }
  return bytes.length
}

/** The event's `data` lines, joined as the SSE standard says; empty for comments. */
export function eventData(event: Buffer): string {
  const lines = event.toString('utf8').split('\n')
  const data = lines.filter(line => line.startsWith('data:')).map(line => line.slice(line[5] === ' ' ? 6 : 5))
  return data.map(line => (line.endsWith('\r') ? line.slice(0, -1) : line)).join('\n')
}

/** One byte less than the longest blank line, which may begin in the bytes that were held back. */
const BOUNDARY_OVERLAP_BYTES = 3

export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError'
}

export interface EventCarry {
  /**
   * Everything up to the end of the last complete event, or null if none has ended yet. A chunk that ends with an
   * event, as nearly all do, is returned without a copy.
   * @throws EventTooLargeError
   */
  push(chunk: Buffer): Buffer | null
  /** The last event, if the upstream did not end it with a blank line. */
  takeRest(): Buffer | null
}

/** Replaces lone carriage returns, which also end a line in the SSE standard. Data cannot contain any. */
function endLinesAlike(bytes: Buffer): Buffer {
  let alike = bytes
  for (let at = bytes.indexOf(CARRIAGE_RETURN); at >= 0; at = bytes.indexOf(CARRIAGE_RETURN, at + 1)) {
    if (bytes[at + 1] === LINE_FEED) continue
    if (alike === bytes) alike = Buffer.from(bytes)
    alike[at] = LINE_FEED
  }
  return alike
}

/** Holds back the unfinished event at the end of what has arrived. Each byte is copied at most twice. */
export function createEventCarry(): EventCarry {
  let pieces: Buffer[] = []
  let byteCount = 0
  let endsInReturn = false
  let isAtStart = true

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

  function complete(piece: Buffer): Buffer | null {
    const whole = endsInReturn ? Buffer.concat([Buffer.of(CARRIAGE_RETURN), piece]) : piece
    // Only the next byte tells whether it ends a line by itself.
    endsInReturn = whole.at(-1) === CARRIAGE_RETURN
    const chunk = endLinesAlike(endsInReturn ? whole.subarray(0, -1) : whole)
    if (byteCount === 0 && endsAtBoundary(chunk)) return chunk
    const hasBoundary =
      byteCount === 0 ? lastBoundary(chunk) > 0 : lastBoundary(Buffer.concat([overlap(), chunk])) > 0
    keep(chunk)
    if (!hasBoundary) return null
    const all = take()
    const end = lastBoundary(all)
    keep(all.subarray(end))
    return end === 0 ? null : all.subarray(0, end)
  }

  function withoutMark(bytes: Buffer): Buffer {
    const hasMark = isAtStart && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    isAtStart = false
    return hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
  }

  return {
    push(piece) {
      const bytes = complete(piece)
      return bytes && withoutMark(bytes)
    },
    takeRest() {
      if (endsInReturn) keep(Buffer.of(LINE_FEED))
      endsInReturn = false
      return byteCount === 0 ? null : withoutMark(take())
    },
  }
}

const ID_FIELD = 'id:'

/**
 * Splits complete events and numbers them by the SSE `id`, from `firstNumber` on, so that a browser can say which one
 * it saw last. An upstream's own ids are removed.
 */
export function numberEvents(bytes: Buffer, firstNumber: number): Buffer[] {
  const numbered: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = nextBoundary(bytes, start)
    const event = withoutId(bytes.subarray(start, end))
    numbered.push(Buffer.concat([Buffer.from(`id: ${firstNumber + numbered.length}\n`), event]))
    start = end
  }
  return numbered
}

function withoutId(event: Buffer): Buffer {
  if (!event.includes(ID_FIELD)) return event
  const lines = event.toString('utf8').split('\n')
  return Buffer.from(lines.filter(line => !line.startsWith(ID_FIELD)).join('\n'))
}
