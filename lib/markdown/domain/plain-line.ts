import { plainMath } from './plain-math'

export const FENCE = /^ {0,3}(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s)?\s*(`{3,}|~{3,})/
export const HEADING = /^ {0,3}#{1,6}(?:\s+|$)/
export const BULLET = /^\s*[-*+]\s+(?:\[[ xX]\]\s+)?/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$/
const QUOTE = /^ {0,3}(?:>\s?){1,20}/
const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:\s+\S+/

/** Markdown as it reads on one line, for a title: without its markup, and code without its fences. */
export function plainLine(markdown: string): string {
  const lines = markdown.split('\n').filter(line => !FENCE.test(line))
  return lines.map(withoutMarks).filter(Boolean).join(' ')
}

/** One line without its markup, including that of its block; empty if it has nothing else. */
export function withoutMarks(line: string): string {
  if (RULE.test(line) || DEFINITION.test(line)) return ''
  const bare = line.replace(QUOTE, '').replace(HEADING, '').replace(BULLET, '')
  return plainInline(HEADING.test(line) ? bare.trimEnd().replace(/(?<!\s)\s+#+$/, '') : bare)
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Every pattern limits what it spans: otherwise a line of nothing but markup would take quadratic time. Longer spans
 * keep their markup.
 */
const CODE = /(?<!`)(`+)([^`]{1,500})\1(?!`)/g
const DISPLAY_MATH = /\$\$([^$]{1,500})\$\$|\\\[([^\n]{1,500}?)\\\]|\\\(([^\n]{1,500}?)\\\)/g
/** Pandoc's rule: `$5 and $10` is money. */
const INLINE_MATH = /\$(?=\S)([^$\n]{1,200})(?<=\S)\$(?!\d)/g
const PICTURE_OR_LINK =
  /!?\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:\s+"[^"\n]{0,200}")?\)/g
const REFERENCE = /!?\[([^[\]]{1,500})\]\[[^[\]]{0,100}\]/g
const ADDRESS = /<?\bhttps?:\/\/([^\s/<>()?#]{1,253})[^\s<>()]{0,2000}>?/g
const BREAK = /<br\s*\/?>/gi
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/g
const ESCAPE = /\\([!-/:-@[-`{-~])/g
/** Next to a number an asterisk is a multiplication. */
const EMPHASIS = [
  /\*\*\*(?=\S)([^*\n]{1,1000})(?<=\S)\*\*\*/g,
  /(?<!\d)\*\*(?=\S)((?:[^*\n]|\*(?!\*)){1,1000}?)(?<=\S)\*\*(?!\d)/g,
  /(?<![\p{L}\p{N}_])__(?=\S)([^_\n]{1,1000})(?<=\S)__(?![\p{L}\p{N}_])/gu,
  /(?<![\d*])\*(?=\S)([^*\n]{1,1000})(?<=\S)\*(?![\d*])/g,
  /(?<![\p{L}\p{N}_])_(?=\S)([^_\n]{1,1000})(?<=\S)_(?![\p{L}\p{N}_])/gu,
  /~~(?=\S)([^~\n]{1,1000})(?<=\S)~~/g,
] as const

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
}

/** Placeholders for finished pieces, from a part of Unicode without a meaning of its own. */
const KEPT_FIRST = 0xe000
const KEPT_COUNT_MAX = 0x1000
const KEPT = /[\ue000-\uefff]/g

/** Inline text without markup: links by their text, addresses by their host. */
export function plainInline(line: string): string {
  const kept: string[] = []
  const keep = (text: string): string => {
    if (kept.length >= KEPT_COUNT_MAX) return text
    kept.push(text)
    return String.fromCharCode(KEPT_FIRST + kept.length - 1)
  }
  // A piece can only contain pieces that were finished before it, so this terminates.
  const restore = (text: string): string =>
    text.replace(KEPT, mark => restore(kept[mark.charCodeAt(0) - KEPT_FIRST] ?? ''))
  let text = line
    .replace(KEPT, '')
    .replace(CODE, (_, _marks: string, code: string) => keep(code.trim()))
    .replace(DISPLAY_MATH, (_, dollars?: string, square?: string, round?: string) =>
      keep(plainMath(dollars ?? square ?? round ?? '')),
    )
    .replace(INLINE_MATH, (whole, formula: string) => (isFormula(formula) ? keep(plainMath(formula)) : whole))
    .replace(ESCAPE, (_, character: string) => keep(character))
    // Twice, because a link may contain a picture.
    .replace(PICTURE_OR_LINK, '$1')
    .replace(PICTURE_OR_LINK, '$1')
    .replace(REFERENCE, '$1')
    .replace(ADDRESS, (_, host: string) => keep(host.replace(/[.,;:!]+$/, '')))
    .replace(BREAK, ' ')
    .replace(ENTITY, (_, name: string) => ENTITIES[name] ?? '')
  for (const pattern of EMPHASIS) text = text.replace(pattern, '$1')
  return restore(text)
}

/** Text between two dollar signs is only a formula if it looks like one, rather than like a sentence about prices. */
function isFormula(text: string): boolean {
  return /[\\^_{}=]/.test(text) || /^[A-Za-z]$/.test(text)
}
