/** Nobody types more; a pasted page must not make the search slow. */
const QUERY_LENGTH_MAX = 200
const TERM_COUNT_MAX = 12

const OUTSIDE_ASCII = /[^\p{ASCII}]/gu
const COMBINING_MARKS = /\p{M}/gu

/** Taking a character apart costs the time; those in use are few, and never more than Unicode has. */
const foldedCharacters = new Map<string, string>()

/** Text as it is compared in a search: capitals and accents do not count. */
export function foldText(text: string): string {
  return text.toLowerCase().replace(OUTSIDE_ASCII, foldCharacter)
}

/** The words of a query, all of which must occur. */
export function foldQuery(query: string): string[] {
  return foldText(query.slice(0, QUERY_LENGTH_MAX)).split(/\s+/).filter(Boolean).slice(0, TERM_COUNT_MAX)
}

function foldCharacter(character: string): string {
  const known = foldedCharacters.get(character)
  if (known !== undefined) return known
  const folded = character === 'ß' ? 'ss' : character.normalize('NFD').replace(COMBINING_MARKS, '')
  foldedCharacters.set(character, folded)
  return folded
}
