const LENGTH_BEFORE = 30
const LENGTH_AFTER = 90

/** The place where a search found something, with a little of what stands around it. */
export function excerptOf(text: string, foldedText: string, foldedTerm: string): string {
  const at = foldedText.indexOf(foldedTerm)
  if (at === -1) return ''
  // Folding seldom changes a text's length; where it did, the place is found in proportion.
  const center = Math.round(at * (text.length / foldedText.length))
  const start = Math.max(0, center - LENGTH_BEFORE)
  const end = Math.min(text.length, center + LENGTH_AFTER)
  const middle = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`
}
