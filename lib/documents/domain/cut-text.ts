/** The text's first `lengthMax` code units, never half a character. */
export function cutText(text: string, lengthMax: number): { text: string; isCut: boolean } {
  if (text.length <= lengthMax) return { text, isCut: false }
  const last = text.charCodeAt(lengthMax - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return { text: text.slice(0, isHalf ? lengthMax - 1 : lengthMax), isCut: true }
}
