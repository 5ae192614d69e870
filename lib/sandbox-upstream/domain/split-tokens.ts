/** Longer words are several tokens, as in real tokenizers. */
export const TOKEN_LENGTH_MAX = 6

/** Cuts text into the pieces that a model would send: a word with the space before it, or a part of a long one. */
export function splitTokens(text: string): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? []
  return words.flatMap(word => {
    const characters = [...word]
    const pieceCount = Math.ceil(characters.length / TOKEN_LENGTH_MAX)
    return Array.from({ length: pieceCount }, (_, index) =>
      characters.slice(index * TOKEN_LENGTH_MAX, (index + 1) * TOKEN_LENGTH_MAX).join(''),
    )
  })
}
