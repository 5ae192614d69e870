import type { Links, Token, Tokens } from 'marked'
import { copyLinks, isList, lexMarkdown } from './bounded-lexer'
import { closeOpenMarks } from './close-marks'

export interface MarkdownBlock {
  /** Stays the same while the block grows, so that its element is kept. */
  readonly key: number
  readonly token: Token
  /** For a heading, its level among the headings before it, from 1; 0 for other blocks. */
  readonly headingDepth: number
  /** A finished block never changes, and is never rendered again. */
  readonly finished: boolean
}

interface ShownBlock<Shown> {
  readonly block: MarkdownBlock
  readonly shown: Shown
}

/** A longer list is split between two items, since otherwise every new word would render the whole list. */
const OPEN_LIST_LENGTH_MAX = 3_000
/** Every reference definition contains this: `[name]: https://…`. */
const DEFINITION_MARK = ']:'
/** Blocks that are code, or may contain code. */
const CODE_HOLDERS = new Set(['code', 'list', 'blockquote'])
/** Finished blocks are returned in groups of this many, so that a frame of a long answer touches few elements. */
const GROUP_BLOCK_COUNT = 24

/**
 * Splits a growing text into blocks. Only the text after the last finished block is parsed again, so the cost of a
 * frame depends on the current paragraph and not on the length of the answer. Of a finished block only its element is
 * kept.
 */
export class BlockReader<Shown> {
  readonly #show: (block: MarkdownBlock) => Shown
  #source = ''
  /** All groups but the last are full and never change again. */
  #groups: readonly (readonly Shown[])[] = []
  /** The blocks after the finished ones, as last parsed while the text was incomplete. */
  #open: readonly ShownBlock<Shown>[] = []
  #finishedCount = 0
  #finishedLength = 0
  /** The levels of the headings that the next block is under. */
  #outline: readonly number[] = []
  /** The reference definitions in finished blocks. */
  #links: Links = copyLinks({})
  /** The definitions that the open blocks were parsed with, including an unfinished one with half an address. */
  #openLinks = ''

  /** @param show called again only if the block has changed */
  constructor(show: (block: MarkdownBlock) => Shown) {
    this.#show = show
  }

  /**
   * @param streaming more may follow
   * @param isCut nothing follows, but the text breaks off; there, as while more may follow, open marks are closed
   */
  read(text: string, streaming: boolean, isCut = false): readonly (readonly Shown[])[] {
    const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
    if (!source.startsWith(this.#source)) this.#reset()
    this.#source = source
    const links = copyLinks(this.#links)
    const tail = splitLongList(lexMarkdown(copyFrom(source, this.#finishedLength), links))
    this.#expectLinks(JSON.stringify(links))
    const open = streaming ? this.#finish(tail, countFinished(tail)) : tail
    const lastIndex = open.findLastIndex(({ type }) => type !== 'space')
    let outline = this.#outline
    const shown = open.map((read, index) => {
      const token =
        (streaming || isCut) && index === lastIndex ? closeOpenMarks(read, links, streaming) : read
      outline = outlineAfter(outline, token)
      const headingDepth = isHeading(token) ? outline.length : 0
      return this.#showBlock({ key: this.#finishedCount + index, token, headingDepth, finished: !streaming })
    })
    this.#open = streaming ? shown : []
    return appendInGroups(
      this.#groups,
      shown.map(one => one.shown),
    )
  }

  /** Moves the first `count` tokens to the finished blocks, and returns the rest. */
  #finish(tokens: readonly Token[], count: number): readonly Token[] {
    const moved: Shown[] = []
    for (const token of tokens.slice(0, count)) {
      // A token that does not repeat its source exactly cannot be skipped by its length.
      if (!this.#source.startsWith(token.raw, this.#finishedLength)) break
      this.#outline = outlineAfter(this.#outline, token)
      const headingDepth = isHeading(token) ? this.#outline.length : 0
      moved.push(this.#showBlock({ key: this.#finishedCount, token, headingDepth, finished: true }).shown)
      this.#finishedCount += 1
      this.#finishedLength += token.raw.length
      if (token.raw.includes(DEFINITION_MARK)) lexMarkdown(token.raw, this.#links)
    }
    this.#groups = appendInGroups(this.#groups, moved)
    return tokens.slice(moved.length)
  }

  #showBlock(block: MarkdownBlock): ShownBlock<Shown> {
    const known = this.#open[block.key - (this.#open[0]?.block.key ?? 0)]
    return known && isShownAlike(known.block, block) ? known : { block, shown: this.#show(block) }
  }

  /** Blocks that were rendered with other link definitions are rendered again. */
  #expectLinks(links: string): void {
    if (links !== this.#openLinks) this.#open = []
    this.#openLinks = links
  }

  #reset(): void {
    this.#groups = []
    this.#open = []
    this.#finishedCount = 0
    this.#finishedLength = 0
    this.#outline = []
    this.#links = copyLinks({})
  }
}

/**
 * The rest of a text as a real copy. A mere slice, and every token made from it, would keep the whole text of that
 * moment in memory: one more copy of a long answer for every finished block.
 */
function copyFrom(text: string, start: number): string {
  return start === 0 ? text : ` ${text.slice(start)}`.slice(1)
}

/** Answers often begin with `##` or skip a level, so only the nesting of headings counts. */
function outlineAfter(outline: readonly number[], token: Token): readonly number[] {
  return isHeading(token) ? [...outline.filter(depth => depth < token.depth), token.depth] : outline
}

/**
 * Whether two blocks look the same. Being finished only matters for code, which is highlighted then, also inside other
 * blocks.
 */
function isShownAlike(one: MarkdownBlock, other: MarkdownBlock): boolean {
  return (
    one.token.raw === other.token.raw &&
    one.token.type === other.token.type &&
    one.headingDepth === other.headingDepth &&
    (one.finished === other.finished || !CODE_HOLDERS.has(one.token.type))
  )
}

/** Fills the last group and starts new ones; full groups are returned unchanged. */
function appendInGroups<Shown>(
  groups: readonly (readonly Shown[])[],
  blocks: readonly Shown[],
): readonly (readonly Shown[])[] {
  if (blocks.length === 0) return groups
  const last: readonly Shown[] = groups.at(-1) ?? []
  const isFull = last.length === GROUP_BLOCK_COUNT
  const open = isFull ? blocks : [...last, ...blocks]
  const next = isFull ? [...groups] : groups.slice(0, -1)
  for (let start = 0; start < open.length; start += GROUP_BLOCK_COUNT) {
    next.push(open.slice(start, start + GROUP_BLOCK_COUNT))
  }
  return next
}

/**
 * The number of leading tokens that no further text can change: all before the last block whose first line is complete.
 * (An incomplete line may still turn out to belong to the list or quotation above it.)
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

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading' && 'depth' in token
}
