const OUTSIDE_ASCII = /[^\p{ASCII}]/gu
const COMBINING_MARKS = /\p{M}/gu

/** Decomposing a character is the slow part; few are in use, and never more than Unicode has. */
const foldedCharacters = new Map<string, string>()

/** Text for comparison in a search, without case and accents. */
export function foldText(text: string): string {
  return text.toLowerCase().replace(OUTSIDE_ASCII, foldCharacter)
}

function foldCharacter(character: string): string {
  const known = foldedCharacters.get(character)
  if (known !== undefined) return known
  const folded = character === 'ß' ? 'ss' : character.normalize('NFD').replace(COMBINING_MARKS, '')
  foldedCharacters.set(character, folded)
  return folded
}

/** Nobody types more; a pasted page must not make the search slow. */
const QUERY_LENGTH_MAX = 200
const TERM_COUNT_MAX = 12

/** The words of a query, all of which must occur in a folded text. */
export function foldQuery(query: string): string[] {
  return foldText(query.slice(0, QUERY_LENGTH_MAX)).split(/\s+/).filter(Boolean).slice(0, TERM_COUNT_MAX)
}
