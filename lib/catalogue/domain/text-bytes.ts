const LAST_ASCII = 0x7f
const LAST_OF_TWO_BYTES = 0x7ff
const FIRST_OF_EAST_ASIA = 0x2e80
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `\u00e9`: what careful encoders write for whatever is not ASCII. */
const ESCAPE_LENGTH = 6
/** Nobody names or describes a tool at such length; whoever does is not worth a look at every sign. */
const EXAMINED_LENGTH_MAX = 1024 * 1024

const ENCODER = new TextEncoder()
const ENCODED = new Uint8Array(64 * 1024)

/** The encoder of the platform looks at many signs at once: a megabyte takes a fraction of a millisecond. */
export function utf8ByteCount(text: string): number {
  let byteCount = 0
  for (let start = 0; start < text.length; ) {
    // No more than three bytes come of one unit.
    const end = Math.min(text.length, start + Math.floor(ENCODED.length / 3))
    const cut = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    byteCount += ENCODER.encodeInto(text.slice(start, cut), ENCODED).written
    start = cut
  }
  return byteCount
}

/** The most bytes that a text takes inside the quotes of JSON, whoever writes it. */
export function jsonByteCountMax(text: string): number {
  if (text.length > EXAMINED_LENGTH_MAX) return text.length * ESCAPE_LENGTH
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > LAST_ASCII || unit < 0x20) bytes += ESCAPE_LENGTH - 1
    else if (unit === QUOTE || unit === BACKSLASH) bytes += 1
  }
  return bytes
}

/** Some tokenizers know most scripts by little more than their bytes: up to 0.7 tokens of each. */
const TOKENS_PER_BYTE = 0.6
/** Chinese, Japanese and Korean all of them know, some for two tokens a character. */
const TOKENS_PER_EAST_ASIAN_CHARACTER = 0.6

/** How many tokens more than ours another tokenizer may make of what is not ASCII. */
export function scriptTokenCount(text: string): number {
  let byteCount = 0
  let eastAsianCount = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit <= LAST_ASCII) continue
    if (unit <= LAST_OF_TWO_BYTES || isSurrogate(unit)) byteCount += 2
    else if (unit < FIRST_OF_EAST_ASIA) byteCount += 3
    else eastAsianCount += 1
  }
  return byteCount * TOKENS_PER_BYTE + eastAsianCount * TOKENS_PER_EAST_ASIAN_CHARACTER
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
