import 'server-only'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BLANK_LINE = Buffer.from('\n\n')
const BLANK_LINE_CRLF = Buffer.from('\n\r\n')

/** True when the bytes end with a blank line, so that no event is left open. */
export function endsAtBoundary(bytes: Buffer): boolean {
  const length = bytes.length
  if (bytes[length - 1] !== LINE_FEED) return false
  if (bytes[length - 2] === LINE_FEED) return true
  return bytes[length - 2] === CARRIAGE_RETURN && bytes[length - 3] === LINE_FEED
}

/** Where the last complete event ends; 0 when none does. */
export function lastBoundary(bytes: Buffer): number {
  const plain = bytes.lastIndexOf(BLANK_LINE)
  const crlf = bytes.lastIndexOf(BLANK_LINE_CRLF)
  return Math.max(plain < 0 ? 0 : plain + BLANK_LINE.length, crlf < 0 ? 0 : crlf + BLANK_LINE_CRLF.length)
}

/** Where the event that starts at `start` ends; the end of the bytes when it is the last one. */
export function nextBoundary(bytes: Buffer, start: number): number {
  const plain = bytes.indexOf(BLANK_LINE, start)
  const crlf = bytes.indexOf(BLANK_LINE_CRLF, start)
  const plainEnd = plain < 0 ? bytes.length : plain + BLANK_LINE.length
  const crlfEnd = crlf < 0 ? bytes.length : crlf + BLANK_LINE_CRLF.length
  return Math.min(plainEnd, crlfEnd)
}

/** The event's `data` lines, joined as the SSE standard says; empty for comments. */
export function eventData(event: Buffer): string {
  const lines = event.toString('utf8').split(/\r?\n/)
  const data = lines.filter(line => line.startsWith('data:')).map(line => line.slice(line[5] === ' ' ? 6 : 5))
  return data.join('\n')
}
