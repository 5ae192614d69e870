/** What a dropped folder, which comes as a file that nobody can read, is made to say of itself. */
export const FOLDER_TYPE = 'inode/directory'

export type DocumentKind = 'pdf' | 'text' | 'binary'

const PDF_START = '%PDF-'
/** Text says what it is within the first bytes; binary formats have a zero byte there. */
export const SNIFFED_BYTES_MAX = 64 * 1024
/** Control characters that text has: tab, line feed, form feed, carriage return, escape (in logs). */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** A stray control character is found in real logs; more of them is no text. */
const CONTROL_SHARE_MAX = 0.01
/** Text only by accident: what these begin is never meant to be read. RTF among them is markup, not text. */
const BINARY_STARTS = [
  'PK\u0003\u0004',
  'GIF8',
  '\u0089PNG',
  '\u007fELF',
  'MZ',
  '{\\rtf',
  '\u00d0\u00cf\u0011\u00e0',
]

/**
 * What the bytes are, whatever the name or the declared type says. A PDF begins with its mark: one that
 * has something else before it could be two things at once, and is refused.
 */
export function documentKind(bytes: Uint8Array): DocumentKind {
  if (startsWith(bytes, PDF_START)) return 'pdf'
  if (utf16Of(bytes)) return 'text'
  if (BINARY_STARTS.some(start => startsWith(bytes, start))) return 'binary'
  const sniffed = bytes.subarray(0, SNIFFED_BYTES_MAX)
  let controlCount = 0
  for (const byte of sniffed) {
    if (byte === 0) return 'binary'
    if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) controlCount += 1
  }
  return controlCount > sniffed.length * CONTROL_SHARE_MAX ? 'binary' : 'text'
}

/** The encoding that a byte order mark of UTF-16 tells, as Windows programs write it. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

function startsWith(bytes: Uint8Array, start: string): boolean {
  if (bytes.length < start.length) return false
  for (let index = 0; index < start.length; index += 1) {
    if (bytes[index] !== start.charCodeAt(index)) return false
  }
  return true
}
