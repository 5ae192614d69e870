import type { Links, Token, Tokens } from 'marked'
import remend from 'remend'
import { lexMarkdown } from './bounded-lexer'

export interface MarkdownBlock {
  /** Stays the same while the block grows, so that React keeps its elements. */
  readonly key: number
  readonly token: Token
  /** Of a heading: how deep it stands among those before it, from 1; 0 for any other block. */
  readonly headingDepth: number
  /** A finished block never changes again, and is never rendered again. */
  readonly finished: boolean
}

/** A list longer than this is cut between two items, or every new word would cost the whole list. */
const OPEN_LIST_LENGTH_MAX = 3_000
/** remend reads its whole input; a paragraph longer than this is not worth repairing on every frame. */
const REPAIR_LENGTH_MAX = 20_000
/** Blocks in which an unfinished `**` or link reads better repaired; code and tables are left alone. */
const REPAIRED_TYPES = new Set(['paragraph', 'heading', 'list', 'blockquote', 'text'])
/** Half an HTML tag is text like any other here, and dollars are money, not mathematics. */
const REPAIR_OPTIONS = { htmlTags: false, katex: false, inlineKatex: false, linkMode: 'text-only' } as const

/** Finished blocks are handed out in groups of this many, so that a long answer costs a frame few elements. */
const GROUP_BLOCK_COUNT = 24

/**
 * Splits a growing text into blocks. Only the text behind the last finished block is read again, so the
 * cost of a frame depends on the paragraph being written, not on the answer so far.
 */
export class BlockReader {
  #source = ''
  /** All but the last are full, and keep their identity from then on. */
  #groups: readonly (readonly MarkdownBlock[])[] = []
  #finishedCount = 0
  #finishedLength = 0
  /** The depths of the headings that the next block stands under. */
  #outline: readonly number[] = []
  #links: Links = {}

  /** `streaming` says that more may follow: unfinished syntax at the end is shown repaired. */
  read(text: string, streaming: boolean): readonly (readonly MarkdownBlock[])[] {
    const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
    if (!source.startsWith(this.#source)) this.#reset()
    this.#source = source
    const tail = splitLongList(lexMarkdown(copyFrom(source, this.#finishedLength), this.#links))
    const open = streaming ? this.#finish(tail, countFinished(tail)) : tail
    const lastIndex = open.findLastIndex(({ type }) => type !== 'space')
    let outline = this.#outline
    const blocks = open.map((read, index) => {
      const token = streaming && index === lastIndex ? repair(read, this.#links) : read
      outline = outlineAfter(outline, token)
      const headingDepth = isHeading(token) ? outline.length : 0
      return { key: this.#finishedCount + index, token, headingDepth, finished: !streaming }
    })
    return appendInGroups(this.#groups, blocks)
  }

  /** Moves the first `count` tokens to the finished ones; returns the rest. */
  #finish(tokens: readonly Token[], count: number): readonly Token[] {
    const moved: MarkdownBlock[] = []
    for (const token of tokens.slice(0, count)) {
      // A token that does not repeat its source letter by letter cannot be skipped by its length.
      if (!this.#source.startsWith(token.raw, this.#finishedLength)) break
      this.#outline = outlineAfter(this.#outline, token)
      const headingDepth = isHeading(token) ? this.#outline.length : 0
      moved.push({ key: this.#finishedCount, token, headingDepth, finished: true })
      this.#finishedCount += 1
      this.#finishedLength += token.raw.length
    }
    this.#groups = appendInGroups(this.#groups, moved)
    return tokens.slice(moved.length)
  }

  #reset(): void {
    this.#groups = []
    this.#finishedCount = 0
    this.#finishedLength = 0
    this.#outline = []
    this.#links = {}
  }
}

/**
 * The rest of a text as a copy of its own. A mere slice, and so every token made of it, would keep in memory
 * the whole text as it was by then: of a long answer one more for every block that was finished.
 */
function copyFrom(text: string, start: number): string {
  return start === 0 ? text : ` ${text.slice(start)}`.slice(1)
}

/** Answers often begin with `##`, or leave a level out: what counts is which heading stands under which. */
function outlineAfter(outline: readonly number[], token: Token): readonly number[] {
  return isHeading(token) ? [...outline.filter(depth => depth < token.depth), token.depth] : outline
}

/** Fills up the last group and begins new ones; full groups are passed on as they are. */
function appendInGroups(
  groups: readonly (readonly MarkdownBlock[])[],
  blocks: readonly MarkdownBlock[],
): readonly (readonly MarkdownBlock[])[] {
  if (blocks.length === 0) return groups
  const last: readonly MarkdownBlock[] = groups.at(-1) ?? []
  const isFull = last.length === GROUP_BLOCK_COUNT
  const open = isFull ? blocks : [...last, ...blocks]
  const next = isFull ? [...groups] : groups.slice(0, -1)
  for (let start = 0; start < open.length; start += GROUP_BLOCK_COUNT) {
    next.push(open.slice(start, start + GROUP_BLOCK_COUNT))
  }
  return next
}

/**
 * How many leading tokens no later text can change: all before the last block whose first line is
 * complete. (A half-written line could still turn out to belong to the list or quote above it.)
 */
function countFinished(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  if (last <= 0) return 0
  const rest = tokens.slice(last).reduce((raw, token) => raw + token.raw, '')
  if (rest.includes('\n')) return last
  const previous = tokens.slice(0, last).findLastIndex(({ type }) => type !== 'space')
  return Math.max(0, previous)
}

function splitLongList(tokens: Token[]): readonly Token[] {
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const list = tokens[last]
  if (!list || !isList(list) || list.raw.length < OPEN_LIST_LENGTH_MAX || list.items.length < 2) return tokens
  const lastItem = list.items.at(-1)
  const cut = lastItem ? list.raw.lastIndexOf(lastItem.raw.trimEnd()) : -1
  if (!lastItem || cut <= 0) return tokens
  const start = list.start === '' ? '' : list.start + list.items.length - 1
  const head = { ...list, items: list.items.slice(0, -1), raw: list.raw.slice(0, cut) }
  const tail = { ...list, items: [lastItem], raw: list.raw.slice(cut), start }
  return [...tokens.slice(0, last), head, tail, ...tokens.slice(last + 1)]
}

function repair(token: Token, links: Links): Token {
  if (!REPAIRED_TYPES.has(token.type) || token.raw.length > REPAIR_LENGTH_MAX) return token
  const repaired = remend(token.raw, REPAIR_OPTIONS)
  if (repaired === token.raw) return token
  return lexMarkdown(repaired, links).find(({ type }) => type !== 'space') ?? token
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading' && 'depth' in token
}

export function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token
}
