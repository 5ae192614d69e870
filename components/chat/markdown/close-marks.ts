import type { Links, Token, Tokens } from 'marked'
import { isList, isTable, isTooDense, lexMarkdown } from './bounded-lexer'
import { isProse, openFormula } from './math-syntax'

/** Blocks whose words may have marks. */
const MARKED_TYPES = new Set(['paragraph', 'heading', 'list', 'blockquote', 'table', 'text'])
/** It underlines a heading, or begins an item or a line whose rest is missing. */
const UNFINISHED_LINE = /\n[ \t>]*(?:--?|==?)$/
/** Nothing follows them yet: they open what is not there, or are half of what closes. */
const LAST_MARKS = /(?<![*_~`])[*_~`]+$/
const MARKS = /(?<=(?<before>[\s\S]?))(?:`+|\*+|_+|~~)(?=(?<after>[\s\S]?))/g
/** A link, or a picture, without its closing bracket or the end of its address. Long words are in mere brackets. */
const OPEN_LINK =
  /(?<bracket>(?<!\\)!?\[)[^[\]\n]{0,80}(?<address>\](?:\((?:[^()\n]|\([^()\n]*\))*(?:\([^()\n]*)?|\[)|)$/
/** Not `\\[`, which breaks a line of a formula. */
const FORMULA_OPENING = /(?<!\\)\\[([]/g
/** Without words, an item would be the line under a heading, or belong to the words before it. */
const EMPTY_ITEM = /\n[ \t>]*(?:[*+-]|\d{1,9}[.)])[ \t]+$/
/** A word joiner, which is not seen, but is a word to the lexer. */
const UNSEEN_WORD = '\u2060'
/** What is longer is no formula in a line, and is shown as it is. */
const HIDDEN_FORMULA_LENGTH_MAX = 400
/** The first line of a table, and a second one that has begun to separate it from its rows. */
const TABLE_HEAD = /^ {0,3}(?<head>\|.{0,1000}\|)[ \t]*\n {0,3}\|[-:| \t]*$/
/** A first line that will be a table's, unless the second says otherwise. A formula such as `|x|` has no space there. */
const TABLE_BEGINNING = /^ {0,3}\|[ \t]+[^\s|].{0,1000}$/
const BAR = /(?<!\\)\|/
const LAST_BAR = /(?<!\\)\|$/
const SPACE = /^\s?$/
const PUNCTUATION = /^[\p{P}\p{S}]$/u
const EMPTY: Tokens.Paragraph = { type: 'paragraph', raw: '', text: '', tokens: [] }

/**
 * The block at the end of a text that breaks off, with the marks closed that are open there: `a **b` becomes `a **b**`.
 * A link without its address becomes its words. Code, formulas and cells of a table that have ended stay as they are.
 *
 * @param growing more may follow: a formula in a line is left out until it can be read
 */
export function closeOpenMarks(token: Token, links: Links, growing: boolean): Token {
  // What the lexer does not interpret needs no marks.
  if (!MARKED_TYPES.has(token.type) || isTooDense(token.raw)) return token
  const formula = token.type === 'paragraph' && openFormula(token.raw)
  if (formula) return formula
  const blocksOf = (text: string) => lexMarkdown(text, links).filter(({ type }) => type !== 'space')
  const read = (text: string) => blocksOf(text)[0] ?? EMPTY
  const raw = token.raw.trimEnd()
  let text = closeTableHead(raw).replace(UNFINISHED_LINE, '')
  let inline = lastInline(text === raw ? token : read(text), text)
  const change = (changed: string) => {
    if (changed === text) return
    text = changed.trimEnd()
    inline = lastInline(read(text), text)
  }
  if (growing) change(withoutOpenFormula(text, sourceOf(inline)))
  // First, since marks in its words or its address may close others as long as they are not known to be a link's.
  const unlinked = withoutOpenLink(text, sourceOf(inline))
  // In front of `1. a`, for example, the bracket is what keeps it from being a list, and the paragraph from ending.
  const isSameForm = () => formOf(blocksOf(unlinked)) === formOf(blocksOf(text))
  if (text.startsWith(unlinked) || isSameForm()) change(unlinked)
  if (LAST_MARKS.test(openWords(inline)) || closingMarks(openWords(inline)) !== '') {
    const unmarked = withoutLastMarks(text)
    // Without its last backticks, code in a line would be the first line of a code block, which does not show it.
    if (read(unmarked).type === 'code') return read(text)
    change(unmarked)
  }
  text = beginTable(text + closingMarks(openWords(inline)))
  return text === raw ? token : read(text)
}

/** Known by its second line, of which only the beginning is there. */
function closeTableHead(text: string): string {
  const head = TABLE_HEAD.exec(text)?.groups?.head
  return head ? separated(head) : text
}

/** Its cells would otherwise be seen as words between bars until the second line comes. */
function beginTable(text: string): string {
  return TABLE_BEGINNING.test(text) ? separated(LAST_BAR.test(text) ? text : `${text} |`) : text
}

function separated(head: string): string {
  return `${head}\n|${'-|'.repeat(head.split(BAR).length - 2)}`
}

/** Of `\\(…` and `\\[…`; a dollar may be an amount of money. */
function withoutOpenFormula(text: string, words: string): string {
  const start = [...words.matchAll(FORMULA_OPENING)].at(-1)?.index
  if (start === undefined) return text
  const formula = words.slice(start)
  const isOpen = !/\\[)\]]/.test(formula) && formula.length <= HIDDEN_FORMULA_LENGTH_MAX
  if (!isOpen || isProse(formula.slice(2).replace(/\\$/, ''))) return text
  if (isInCode(words, start) || !text.endsWith(formula)) return text
  return withoutLastMarks(text.slice(0, -formula.length))
}

function withoutLastMarks(text: string): string {
  const unmarked = text.replace(LAST_MARKS, '')
  return EMPTY_ITEM.test(unmarked) ? unmarked + UNSEEN_WORD : unmarked
}

/** The words are at the end of the text, where a bracket after an odd backtick is code. */
function withoutOpenLink(text: string, words: string): string {
  const link = OPEN_LINK.exec(words)
  if (!link?.groups || !text.endsWith(link[0])) return text
  const { bracket = '', address = '' } = link.groups
  const start = text.length - link[0].length
  return isInCode(words, link.index)
    ? text
    : text.slice(0, start) + text.slice(start + bracket.length, text.length - address.length)
}

function isInCode(words: string, index: number): boolean {
  return words.slice(0, index).split('`').length % 2 === 0
}

/** What closes the marks that open something in these words, the last first. All that follows a backtick is code. */
function closingMarks(words: string): string {
  let closing = ''
  for (const { 0: marks, groups: { before = '', after = '' } = {} } of words.matchAll(MARKS)) {
    if (marks.startsWith('`')) return marks + closing
    if (isOpening(marks, before, after)) closing = marks + closing
  }
  return closing
}

/** CommonMark's rule: before a word; underscores not within one. */
function isOpening(marks: string, before: string, after: string): boolean {
  const isFree = SPACE.test(before) || PUNCTUATION.test(before)
  if (SPACE.test(after) || (PUNCTUATION.test(after) && !isFree)) return false
  return isFree || !marks.startsWith('_')
}

/** The blocks that these are made of, without their words. */
function formOf(blocks: readonly Token[]): string {
  const forms = blocks.map(block => {
    if (isList(block)) return block.items.map(({ tokens }) => formOf(tokens)).join('; ')
    return block.type === 'blockquote' ? formOf(tokensIn(block)) : ''
  })
  return blocks.map(({ type }, index) => `${type} (${forms[index]})`).join()
}

function sourceOf(inline: readonly Token[]): string {
  return inline
    .map(({ raw }) => raw)
    .join('')
    .trimEnd()
}

/** With no other marks than those that the lexer did not understand, since what would close them is missing. */
function openWords(inline: readonly Token[]): string {
  return inline
    .map(token => (isWords(token) ? token.raw : token.raw.replace(/[*_~`]/g, '.')))
    .join('')
    .trimEnd()
}

function isWords(token: Token): boolean {
  return token.type === 'text' && !('escaped' in token && token.escaped === true)
}

/** What the last words of a block are made of. */
function lastInline(block: Token, text: string): readonly Token[] {
  if (isTable(block)) return text.endsWith('|') ? [] : lastCell(block)
  const inner = isList(block) ? (block.items.at(-1)?.tokens ?? []) : tokensIn(block)
  if (!isList(block) && block.type !== 'blockquote') return inner
  const last = inner.findLast(({ type }) => type !== 'space')
  return last && MARKED_TYPES.has(last.type) ? lastInline(last, text) : []
}

function lastCell({ header, rows }: Tokens.Table): readonly Token[] {
  return (rows.at(-1) ?? header).findLast(cell => cell.text !== '')?.tokens ?? []
}

function tokensIn(token: Token): readonly Token[] {
  return 'tokens' in token && token.tokens ? token.tokens : []
}
