const LAST_ASCII = 0x7f
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `\u00e9`: how careful encoders write anything other than ASCII. */
const ESCAPE_LENGTH = 6
const UTF8_BYTES_PER_UNIT_MAX = 3
/** See `readByteCountMax`. */
const READ_BYTES_PER_UNIT_MAX = 33
/** Names and descriptions of tools are never this long; longer ones are bounded without looking at each character. */
const EXAMINED_LENGTH_MAX = 1024 * 1024

const ENCODER = new TextEncoder()
const ENCODED = new Uint8Array(64 * 1024)

/** The platform's encoder handles many characters at once: a megabyte takes a fraction of a millisecond. */
export function utf8ByteCount(text: string): number {
  let byteCount = 0
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + Math.floor(ENCODED.length / UTF8_BYTES_PER_UNIT_MAX))
    const cut = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    byteCount += ENCODER.encodeInto(text.slice(start, cut), ENCODED).written
    start = cut
  }
  return byteCount
}

/**
 * The most bytes that a tokenizer may have to read. Some first normalize a text (Claude's to NFKC, Qwen's to NFC),
 * which expands a few characters: `\ufdfa` has three bytes, and then 33.
 */
export function readByteCountMax(text: string): number {
  const byteCount = utf8ByteCount(text)
  if (byteCount === text.length) return byteCount
  let growth = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit <= LAST_ASCII) continue
    const code = isHighSurrogate(unit) ? (text.codePointAt(index) ?? unit) : unit
    if (code !== unit) index += 1
    const known = GROWTHS[code] ?? 0
    growth += known === UNKNOWN_GROWTH ? growthOf(code) : known
  }
  return byteCount + growth
}

/** Nothing in higher planes grows. */
const EXAMINED_CODE_COUNT = 0x20000
const UNKNOWN_GROWTH = 0xff
/** Computed by the platform once per character, because that takes about a hundred times as long as a lookup. */
const GROWTHS = new Uint8Array(EXAMINED_CODE_COUNT).fill(UNKNOWN_GROWTH)
/**
 * A mark below a letter is sorted before those above it, which may decompose a composed character: `Ȭ` has two bytes,
 * and then five.
 */
const MARKS_BELOW = { first: 0x0316, last: 0x0345, growth: 3 }

/**
 * By how many bytes a character grows in its longest normal form; characters together never grow more than separately.
 */
function growthOf(code: number): number {
  const known = GROWTHS[code] ?? 0
  if (known !== UNKNOWN_GROWTH) return known
  const { first, last, growth: ofMark } = MARKS_BELOW
  const character = String.fromCodePoint(code)
  const [plain = 0, ...normal] = [character, character.normalize('NFC'), character.normalize('NFKC')].map(
    utf8ByteCount,
  )
  const growth = Math.max(code >= first && code <= last ? ofMark : 0, ...normal.map(count => count - plain))
  GROWTHS[code] = growth
  return growth
}

/** The most bytes that a text takes within the quotes of JSON, with any encoder. */
export function jsonByteCountMax(text: string): number {
  if (text.length > EXAMINED_LENGTH_MAX) return text.length * READ_BYTES_PER_UNIT_MAX
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > LAST_ASCII) bytes += Math.max(ESCAPE_LENGTH, UTF8_BYTES_PER_UNIT_MAX + growthOf(unit)) - 1
    else if (unit < 0x20) bytes += ESCAPE_LENGTH - 1
    else if (unit === QUOTE || unit === BACKSLASH) bytes += 1
  }
  return bytes
}

/**
 * How many tokens per UTF-16 unit another tokenizer may make beyond one and a half times ours: some split a script
 * almost into its bytes. Slightly above the most that was measured for ordinary sentences with the tokenizers of GPT-4,
 * Claude, Llama 2 and 3, DeepSeek, Gemma and Qwen; two where nothing was measured.
 */
const SURPLUS_BY_BLOCK: readonly (readonly [endInSixteens: number, tokens: number])[] = [
  [0x37, 1.2], // Latin
  [0x40, 0.8], // Greek
  [0x53, 0.5], // Cyrillic
  [0x59, 1.7], // Armenian
  [0x60, 0.8], // Hebrew
  [0x70, 1], // Arabic
  [0x90, 2],
  [0x98, 1], // Devanagari
  [0xa0, 1.7], // Bengali
  [0xb8, 2.7], // Gurmukhi, Gujarati, Odia
  [0xe0, 2], // Tamil, Telugu, Kannada, Malayalam, Sinhala
  [0xf0, 1.4], // Thai, Lao
  [0x2e8, 2], // Georgian, Khmer and others
  [0xac0, 0.3], // Chinese, Japanese
  [0xd80, 0.5], // Korean
  [0x1000, 0.7], // halves of emoji, and everything else
]
const SURPLUSES = new Float64Array(0x1000)
let begin = (LAST_ASCII + 1) >> 4
for (const [end, tokens] of SURPLUS_BY_BLOCK) {
  SURPLUSES.fill(tokens, begin, end)
  begin = end
}

/** How many more tokens than ours another tokenizer may make of anything other than ASCII. */
export function scriptTokenCount(text: string): number {
  let tokenCount = 0
  for (let index = 0; index < text.length; index += 1) {
    tokenCount += SURPLUSES[text.charCodeAt(index) >> 4] ?? 0
  }
  return tokenCount
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
