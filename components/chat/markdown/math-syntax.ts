import type { TokenizerExtensionFunction, Tokens } from 'marked'

/** A formula and its delimiters. */
export interface MathToken {
  type: 'math'
  raw: string
  /** The TeX without its delimiters. */
  text: string
  /** On a line of its own. */
  isDisplay: boolean
  /** Its closing delimiter has not arrived yet. */
  isOpen: boolean
}

/** Longer than any readable formula; limits the search for a closing delimiter. */
const FORMULA_LENGTH_MAX = 5_000
const DOLLAR_FORMULA_LENGTH_MAX = 400
/** How far into a paragraph a formula that ends it is searched for. */
const SEARCHED_LENGTH_MAX = 5_000

const BLOCK_OPENING = /^ {0,3}(\$\$|\\\[)/
const LINE_OPENING = /(?<=\n) {0,3}(?:\$\$|\\\[)/g
const BLANK_LINE = /\n[ \t]*\n/
/** Two words in a row are prose, not a formula. */
const PROSE = /\p{L}{2,}[,;:]? +\p{L}{2,}/u
const MATH_SIGN = /[\\^_=+*<>{}|]/

/** For marked: formulas in addition to its own blocks and inline tokens, and where they may begin. */
export const MATH_EXTENSIONS = {
  block: [tokenizeBlock],
  inline: [tokenizeInline],
  startBlock: [blockStart],
  // marked's text tokens already end at backslashes; searching for those too would read the rest once for each.
  startInline: [(source: string) => indexOrNothing(source.indexOf('$'))],
} satisfies {
  block: TokenizerExtensionFunction[]
  inline: TokenizerExtensionFunction[]
  startBlock: ((source: string) => number | undefined)[]
  startInline: ((source: string) => number | undefined)[]
}

export function isMath(token: Tokens.Generic): token is MathToken {
  return token.type === 'math' && typeof token.isDisplay === 'boolean'
}

/** `$$…$$` or `\[…\]` on lines of its own. */
function tokenizeBlock(source: string): MathToken | undefined {
  const opening = BLOCK_OPENING.exec(source)
  if (!opening?.[1]) return undefined
  const closing = closingOf(opening[1])
  const start = opening[0].length
  const end = source.slice(0, FORMULA_LENGTH_MAX).indexOf(closing, start)
  if (end === -1) return openBlock(source, start)
  const text = source.slice(start, end)
  const rest = /^[ \t]*(?:\n|$)/.exec(source.slice(end + closing.length))
  if (!rest || text.trim() === '' || isCutByBlankLine(text) || isProse(text)) return undefined
  return mathToken(source.slice(0, end + closing.length + rest[0].length), text, true)
}

/**
 * Where a formula begins in what follows the first character of a paragraph. Only a real one is reported, at the
 * beginning of a line, since marked ends the paragraph there and searches the rest for other blocks: thousands of
 * delimiters that begin nothing would take seconds. So would reading all that follows for each of thousands of
 * paragraphs that something else ends; a formula later in a long one is found among its words.
 */
function blockStart(source: string): number | undefined {
  const searched = source.slice(0, SEARCHED_LENGTH_MAX)
  const end = searched.search(BLANK_LINE)
  const paragraph = end === -1 ? searched : searched.slice(0, end)
  for (const { index } of paragraph.matchAll(LINE_OPENING))
    if (tokenizeBlock(source.slice(index))) return index
  return undefined
}

/** An opening delimiter alone on its line: a formula that is still being written, like an open code fence. */
function openBlock(source: string, start: number): MathToken | undefined {
  if (source.length > FORMULA_LENGTH_MAX || !/^[ \t]*\n/.test(source.slice(start))) return undefined
  return { ...mathToken(source, source.slice(start), true), isOpen: true }
}

/** The formula that a paragraph begins with, while its closing delimiter is still to come. */
export function openFormula(paragraph: string): MathToken | null {
  const opening = BLOCK_OPENING.exec(paragraph)
  if (!opening?.[1] || paragraph.length > FORMULA_LENGTH_MAX) return null
  const rest = paragraph.slice(opening[0].length)
  // Half of the closing delimiter may be there.
  const text = rest.replace(/[$\\]$/, '')
  if (rest.includes(closingOf(opening[1])) || isProse(text)) return null
  return { ...mathToken(paragraph, text, true), isOpen: true }
}

/**
 * A formula that starts on the line of its delimiter is one paragraph; one on lines of its own may contain blank lines.
 */
function isCutByBlankLine(text: string): boolean {
  return !text.startsWith('\n') && BLANK_LINE.test(text)
}

/** A formula that contains words marks them as text, or is on lines of its own. */
export function isProse(text: string): boolean {
  return !text.startsWith('\n') && !text.includes('\\') && PROSE.test(text)
}

function tokenizeInline(source: string): MathToken | undefined {
  if (source.startsWith('$$') || source.startsWith('\\[')) return between(source, source.slice(0, 2), true)
  if (source.startsWith('\\(')) return between(source, '\\(', false)
  return source.startsWith('$') ? betweenDollars(source) : undefined
}

function between(source: string, opening: string, isDisplay: boolean): MathToken | undefined {
  const closing = closingOf(opening)
  const end = source.slice(0, FORMULA_LENGTH_MAX).indexOf(closing, opening.length)
  const text = source.slice(opening.length, end)
  if (end === -1 || text.trim() === '' || BLANK_LINE.test(text) || isProse(text)) return undefined
  return mathToken(source.slice(0, end + closing.length), text, isDisplay)
}

/**
 * `$…$` by Pandoc's rule: no space inside the delimiters, no digit after the second. In addition: no letter after the
 * second (`$HOME:$PATH`) and no prose between them; and text that begins like an amount of money is a formula only if
 * it contains a mathematical sign, or is nothing but the number.
 */
function betweenDollars(source: string): MathToken | undefined {
  const end = closingDollar(source)
  if (end === -1) return undefined
  const text = source.slice(1, end)
  if (text.trim() === '' || /^\s|\s$/.test(text) || /[\p{L}\p{N}]/u.test(source.charAt(end + 1)))
    return undefined
  const hasSign = MATH_SIGN.test(text)
  if (isProse(text)) return undefined
  if (/^\d/.test(text) && /\s|,$/.test(text) && !hasSign) return undefined
  return mathToken(source.slice(0, end + 1), text, false)
}

function closingDollar(source: string): number {
  for (let index = 1; index < Math.min(source.length, DOLLAR_FORMULA_LENGTH_MAX); index += 1) {
    const character = source[index]
    if (character === '\n') return -1
    if (character === '$') return index
    if (character === '\\') index += 1
  }
  return -1
}

function closingOf(opening: string): string {
  return { $$: '$$', '\\[': '\\]', '\\(': '\\)' }[opening] ?? opening
}

function mathToken(raw: string, text: string, isDisplay: boolean): MathToken {
  return { type: 'math', raw, text: text.trim(), isDisplay, isOpen: false }
}

function indexOrNothing(index: number): number | undefined {
  return index === -1 ? undefined : index
}
