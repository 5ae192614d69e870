import { BULLET, FENCE, HEADING, plainInline, withoutMarks } from '@/lib/markdown/domain/plain-line'
import { plainMath } from '@/lib/markdown/domain/plain-math'

/** What is said in place of what cannot be read aloud, in the listener's language. */
export interface SpokenWords {
  readonly code: string
}

/** More lines than any formula has; beyond that the end is not searched for. */
const FORMULA_LINE_COUNT_MAX = 100
const ENDS_A_SENTENCE = /[.!?…:;,。！？：；，]["'”’»)\]]*$/

/**
 * An answer's Markdown as plain text for a voice: prose without its markup; tables row by row; formulas as characters;
 * code is left out, and announced as such. Line breaks are kept; empty lines are dropped.
 * @param enough stop after the line that reaches this many characters, if only the beginning is needed
 */
export function speakableText(
  markdown: string,
  words: SpokenWords,
  enough = Number.POSITIVE_INFINITY,
): string {
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n')
  const said: string[] = []
  let length = 0
  for (let index = 0; index < lines.length && length < enough; ) {
    const block = readCode(lines, index, words) ??
      readFormula(lines, index) ??
      readTable(lines, index) ?? { said: [speakableLine(lines[index] ?? '')], next: index + 1 }
    said.push(...block.said)
    length += block.said.join('').length
    index = block.next
  }
  return said.filter(line => line !== '').join('\n')
}

interface Block {
  said: string[]
  /** The first line after it. */
  next: number
}

/** An unclosed fence extends to the end, as it does on the page. */
function readCode(lines: readonly string[], start: number, words: SpokenWords): Block | null {
  const mark = FENCE.exec(lines[start] ?? '')?.[1]
  if (mark === undefined) return null
  const closes = (line: string) => {
    const end = FENCE.exec(line)?.[1]
    return end !== undefined && end[0] === mark[0] && end.length >= mark.length && line.trim().endsWith(end)
  }
  const end = findBetween(lines, start + 1, lines.length, closes)
  return { said: [words.code], next: end === -1 ? lines.length : end + 1 }
}

/** A formula on lines of its own, between `$$` or `\[` and `\]`. */
function readFormula(lines: readonly string[], start: number): Block | null {
  const opening = (lines[start] ?? '').trim()
  const closing = opening === '$$' ? '$$' : opening === '\\[' ? '\\]' : null
  if (closing === null) return null
  const end = findBetween(lines, start + 1, start + FORMULA_LINE_COUNT_MAX, line => line.trim() === closing)
  if (end === -1) return null
  return { said: [`${plainMath(lines.slice(start + 1, end).join(' '))}.`], next: end + 1 }
}

function readTable(lines: readonly string[], start: number): Block | null {
  if (!beginsTable(lines[start] ?? '', lines[start + 1])) return null
  let end = start + 2
  while (end < lines.length && lines[end]?.includes('|')) end += 1
  return { said: speakableTable(lines.slice(start, end)), next: end }
}

/** Anything that stands alone ends like a sentence, so that the voice pauses there. */
function speakableLine(line: string): string {
  const text = withoutMarks(line)
  const standsAlone = HEADING.test(line) || BULLET.test(line)
  return standsAlone && text !== '' && !ENDS_A_SENTENCE.test(text) ? `${text}.` : text
}

function findBetween(
  lines: readonly string[],
  start: number,
  end: number,
  isWanted: (line: string) => boolean,
): number {
  for (let index = start; index < Math.min(end, lines.length); index += 1) {
    if (isWanted(lines[index] ?? '')) return index
  }
  return -1
}

/** More columns than any readable table has. */
const COLUMN_COUNT_MAX = 50
const DIVIDER = /^(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*){0,50}\|?$/

/** Whether a table begins with these two lines: a row, and below it a divider with as many columns. */
function beginsTable(line: string, next: string | undefined): boolean {
  if (next === undefined || !line.includes('|') || !next.includes('-') || !DIVIDER.test(next.trim()))
    return false
  return cellsOf(line).length === cellsOf(next).length
}

/** Rows as sentences, with each value after the name of its column: `coin: penny, value: 1 cent.` */
function speakableTable(rows: readonly string[]): string[] {
  const [head = '', , ...body] = rows
  const names = cellsOf(head).map(plainInline)
  if (body.length === 0) return [`${names.filter(Boolean).join(', ')}.`]
  return body.map(row => {
    const values = cellsOf(row).map(plainInline)
    const said = values.flatMap((value, column) => {
      const name = names[column] ?? ''
      return value === '' ? [] : [name === '' ? value : `${name}: ${value}`]
    })
    return said.length === 0 ? '' : `${said.join(', ')}.`
  })
}

function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/, COLUMN_COUNT_MAX).map(cell => cell.replaceAll('\\|', '|').trim())
}
