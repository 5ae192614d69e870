const LAST_ASCII = 0x7f
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `\u00e9`: what careful encoders write for whatever is not ASCII. */
const ESCAPE_LENGTH = 6

export function utf8ByteCount(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > LAST_ASCII) bytes += unit > 0x7ff ? 2 : 1
    // A pair of surrogates is four bytes, and was counted as two units of three.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) bytes -= 2
  }
  return bytes
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The most bytes that a text takes inside the quotes of JSON, whoever writes it. */
export function jsonByteCountMax(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > LAST_ASCII || unit < 0x20) bytes += ESCAPE_LENGTH - 1
    else if (unit === QUOTE || unit === BACKSLASH) bytes += 1
  }
  return bytes
}

export function asciiCharacterCount(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) <= LAST_ASCII) count += 1
  }
  return count
}
