import { utf16Of } from './document-kind'

/** The encoding of older Windows programs; every byte is valid in it, so nothing is ever unreadable. */
const FALLBACK_ENCODING = 'windows-1252'

/** Decodes bytes that `documentKind` calls text: UTF-8, UTF-16 with its mark, or the old Western encoding. */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes)
  if (utf16) return tidy(new TextDecoder(utf16).decode(bytes))
  try {
    return tidy(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return tidy(new TextDecoder(FALLBACK_ENCODING).decode(bytes))
  }
}

function tidy(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '')
}

/** The text's first `lengthMax` code units, never half a character. */
export function cutText(text: string, lengthMax: number): { text: string; isCut: boolean } {
  if (text.length <= lengthMax) return { text, isCut: false }
  const last = text.charCodeAt(lengthMax - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return { text: text.slice(0, isHalf ? lengthMax - 1 : lengthMax), isCut: true }
}
