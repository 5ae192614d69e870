/** The beginning of a text. A character that would be cut in half, which cannot be shown or sent, is left out. */
export function cutText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/\p{Cs}/gu, '')
}
