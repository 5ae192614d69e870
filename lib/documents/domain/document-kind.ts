/** The type given to a dropped folder, which arrives as an unreadable file. */
export const FOLDER_TYPE = 'inode/directory'

export type DocumentKind = 'pdf' | 'text' | 'binary'

const PDF_START = '%PDF-'
/** Text is recognised by its first bytes; binary formats have a zero byte there. */
export const SNIFFED_BYTES_MAX = 64 * 1024
/** Control characters that occur in text: tab, line feed, form feed, carriage return, escape (in logs). */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** Real logs contain a stray control character; a file with more is not text. */
const CONTROL_SHARE_MAX = 0.01
/**
 * Formats that only look like text by accident and are not meant to be read. RTF is among them, because it is markup.
 */
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
 * The kind of file by its bytes, whatever its name or declared type. A PDF has to begin with its signature: with
 * anything before that it could be two things at once, and is refused.
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

/** The UTF-16 encoding indicated by a byte order mark, as Windows programs write it. */
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
