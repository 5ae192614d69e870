/**
 * Whether PostgreSQL can keep the text: neither `text` nor `jsonb` takes a NUL, and half a surrogate pair
 * is no character in UTF-8. JSON can spell both.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
