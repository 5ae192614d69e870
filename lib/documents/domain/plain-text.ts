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
