import 'server-only'
import { ApiError } from './api-error'

/*
 * Written by hand because the platform's `formData()` neither limits the number of parts nor avoids copies. 26 MB of
 * 490,000 parts took it 0.9 s of processor time; here the 41st part is refused after 1 ms. A recording of 25 MB took it
 * 50 MB beside the body; here a part is a view of the body.
 */

/** One field of a form. */
export interface FormPart {
  name: string
  contentType: string | null
  /** A view of the body, not a copy. */
  bytes: Uint8Array
}

/** OpenAI's forms have ten fields; many more are an attack. */
const PART_COUNT_MAX = 40
const PART_HEADER_BYTES_MAX = 4 * 1024
/** RFC 2046 allows at most 70 characters. */
const BOUNDARY_PATTERN = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i
const HEADER_END = Buffer.from('\r\n\r\n')

/** Takes a `multipart/form-data` body apart (RFC 7578) in one pass. @throws ApiError invalid_request */
export function parseMultipart(body: Uint8Array, contentType: string | null): FormPart[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const marker = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const first = marker.subarray(2)
  const parts: FormPart[] = []
  let position = bytes.indexOf(first)
  // Anything before the first boundary is a preamble; only a whole line can be one.
  if (position < 0 || (position > 0 && bytes[position - 1] !== 0x0a)) throw malformed()
  position += first.length
  while (!isAt(bytes, position, '--')) {
    if (!isAt(bytes, position, '\r\n') || parts.length === PART_COUNT_MAX) throw malformed()
    const headerStart = position + 2
    const headerEnd = bytes.subarray(headerStart, headerStart + PART_HEADER_BYTES_MAX).indexOf(HEADER_END)
    const start = headerStart + headerEnd + HEADER_END.length
    const end = headerEnd < 0 ? -1 : bytes.indexOf(marker, start)
    if (end < 0) throw malformed()
    const headers = bytes.toString('utf8', headerStart, headerStart + headerEnd)
    parts.push({ ...readHeaders(headers), bytes: bytes.subarray(start, end) })
    position = end + marker.length
  }
  return parts
}

function boundaryOf(contentType: string | null): string {
  const isForm = /^\s*multipart\/form-data\s*;/i.test(contentType ?? '')
  const match = isForm ? BOUNDARY_PATTERN.exec(contentType ?? '') : null
  const boundary = match?.[1] ?? match?.[2]
  if (boundary !== undefined) return boundary
  throw new ApiError(
    'invalid_request',
    'The body is not a form: expected multipart/form-data with a boundary.',
  )
}

function readHeaders(headers: string): Omit<FormPart, 'bytes'> {
  const lines = headers.split('\r\n')
  const value = (name: string) =>
    lines
      .find(line => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? null
  const disposition = value('content-disposition') ?? ''
  const name = nameOf(disposition)
  if (!/^form-data\s*;/i.test(disposition) || !name) throw malformed()
  return { name, contentType: value('content-type') }
}

/** Browsers write quotes as `%22`, others escape them with a backslash. */
function nameOf(disposition: string): string | undefined {
  const match = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition)
  return match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2]
}

function isAt(bytes: Buffer, position: number, text: string): boolean {
  return bytes.toString('latin1', position, position + text.length) === text
}

function malformed(): ApiError {
  return new ApiError('invalid_request', 'The form in the body cannot be read.')
}
