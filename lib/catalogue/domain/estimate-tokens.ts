/** English prose and code average close to four ASCII characters a token in the common tokenizers. */
const TOKENS_PER_ASCII_CHARACTER = 0.25
/** Accented Latin, Cyrillic, Greek, Arabic, Hebrew: about two characters a token. */
const TOKENS_PER_ALPHABETIC_CHARACTER = 0.5
/** Chinese, Japanese, Korean and everything rarer: about one token a character. */
const TOKENS_PER_OTHER_CHARACTER = 1
/** Emoji are split into byte tokens. */
const TOKENS_PER_ASTRAL_CHARACTER = 2

const LAST_ASCII = 0x7f
/** End of the alphabets in the Basic Multilingual Plane (up to Hebrew, Arabic and their neighbours). */
const LAST_ALPHABETIC = 0x7ff
const LAST_BASIC = 0xffff

/** A local count of text, for when an upstream tells none; charges based on it are marked as estimated. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const character of text) tokens += tokensOf(character.codePointAt(0) ?? 0)
  return Math.ceil(tokens)
}

function tokensOf(codePoint: number): number {
  if (codePoint <= LAST_ASCII) return TOKENS_PER_ASCII_CHARACTER
  if (codePoint <= LAST_ALPHABETIC) return TOKENS_PER_ALPHABETIC_CHARACTER
  return codePoint <= LAST_BASIC ? TOKENS_PER_OTHER_CHARACTER : TOKENS_PER_ASTRAL_CHARACTER
}
