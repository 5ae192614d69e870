import { Lexer, type Links, type Token, Tokenizer, type Tokens, type TokensList } from 'marked'
import { MATH_EXTENSIONS } from './math-syntax'

/** The nesting of quotations and lists. Readable text is never deeper, and the lexer recurses. */
const BLOCK_DEPTH_MAX = 16
/** The nesting of emphasis and links. */
const INLINE_DEPTH_MAX = 16
/** The length of one paragraph. Longer text is data, and parsing emphasis takes quadratic time. */
const INLINE_LENGTH_MAX = 20_000
/**
 * Marks for whose counterpart the rest of a paragraph is searched. 40,000 of `*`, `_` or `~` keep marked busy for half a
 * minute, 20,000 of `!` for a second, and 500 of any of them for a few milliseconds.
 */
const MARK = /[*_~!]|\\[([]/g
const MARK_COUNT_MAX = 500

const { gfm } = Lexer.rules.block
/** The part of the rule of a table that reads its rows. */
const TABLE_ROWS = gfm.table.source.slice(gfm.table.source.indexOf('(?:\\n('))
/** At each of its lines a paragraph looks for a table, which ends it, whatever rows that has. */
const PARAGRAPH = new RegExp(gfm.paragraph.source.replace(TABLE_ROWS, () => '(?:\\n|$)'))

/** A table of this many cells may leave any of them out. */
const CELL_COUNT_FREE = 200

/**
 * Marks of lists and quotations in front of a line's first word, far more than the levels that are read. If another
 * line follows, marked reads all marks of each level once for every mark: 5,000 bullets kept it busy for eight seconds.
 */
const MARKS = /(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]*){64}/g

/**
 * Reads the rows of a table only if its first two lines make one. Otherwise lines that nearly do so, such as `|` and
 * `-|`, are all read again for each of them: 25 kB kept marked busy for a second, 100 kB for eighteen.
 */
class BoundedTokenizer extends Tokenizer {
  /** The lines of too many marks in the text whose blocks are being read, each by its distance from the end. */
  markedLines: readonly number[] = []
  #quoteDepth = 0

  /** A line that has too many marks is text, and ends the list before it. */
  override list(source: string): Tokens.List | undefined {
    const next = this.markedLines.find(distance => distance <= source.length)
    return super.list(next === undefined ? source : source.slice(0, source.length - next))
  }

  /**
   * For a line without a mark, marked reads the inner quotation a second time, however deep it is: 5,000 of `>` and such
   * a line took it four seconds.
   */
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (this.#quoteDepth === BLOCK_DEPTH_MAX) return this.#plainQuotation(source)
    this.#quoteDepth += 1
    try {
      return super.blockquote(source)
    } finally {
      this.#quoteDepth -= 1
    }
  }

  #plainQuotation(source: string): Tokens.Blockquote | undefined {
    const raw = this.rules.block.blockquote.exec(source)?.[0].replace(/\n+$/, '')
    return raw === undefined ? undefined : { type: 'blockquote', raw, text: raw, tokens: pushPlain([], raw) }
  }

  override table(source: string): Tokens.Table | undefined {
    const head = /^[^\n]*\n[^\n]*/.exec(source)?.[0]
    const columnCount = (head && super.table(head)?.header.length) || 0
    return columnCount > 0 && !this.#isFilledUp(source, columnCount) ? super.table(source) : undefined
  }

  /**
   * marked gives every row all columns of the first: for 24 kB of 4,000 columns and 4,000 rows of a single bar it took
   * 25 seconds and 2.4 GB. Whoever writes all cells needs a character for each.
   */
  #isFilledUp(source: string, columnCount: number): boolean {
    const raw = this.rules.block.table.exec(source)?.[0] ?? ''
    return columnCount * raw.split('\n').length > Math.max(raw.length, CELL_COUNT_FREE)
  }
}

/**
 * marked's lexer with limits against hostile text. What exceeds a limit becomes plain text: shown, but not interpreted.
 */
class BoundedLexer extends Lexer {
  readonly #tokenizer: BoundedTokenizer
  #blockDepth = 0
  #inlineDepth = 0

  constructor(tokenizer: BoundedTokenizer) {
    super({ gfm: true, extensions: { renderers: {}, childTokens: {}, ...MATH_EXTENSIONS }, tokenizer })
    this.#tokenizer = tokenizer
  }

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#blockDepth >= BLOCK_DEPTH_MAX) return pushPlain(tokens, source)
    const { markedLines } = this.#tokenizer
    this.#tokenizer.markedLines = findMarkedLines(source)
    this.#blockDepth += 1
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped)
    } finally {
      this.#blockDepth -= 1
      this.#tokenizer.markedLines = markedLines
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= INLINE_DEPTH_MAX || isTooDense(source)) return pushPlain(tokens, source)
    this.#inlineDepth += 1
    try {
      return super.inlineTokens(source, tokens)
    } finally {
      this.#inlineDepth -= 1
    }
  }
}

/** A copy of these definitions. Without a prototype: a text may refer to `[constructor]`, which nobody has defined. */
export function copyLinks(links: Links): Links {
  return Object.assign(Object.create(null), links)
}

/** The block tokens of `source`. Reference definitions in it are added to `links` and used. */
export function lexMarkdown(source: string, links: Links): Token[] {
  const tokenizer = new BoundedTokenizer()
  const lexer = new BoundedLexer(tokenizer)
  const { block, ...rules } = tokenizer.rules
  tokenizer.rules = { ...rules, block: { ...block, paragraph: PARAGRAPH } }
  lexer.tokens.links = links
  try {
    return [...lexer.lex(source)]
  } catch {
    // The person has paid for the text, so it is shown even if the lexer fails.
    return pushPlain([], source)
  }
}

function findMarkedLines(source: string): number[] {
  return Array.from(
    source.matchAll(MARKS),
    ({ index }) => source.length - (source.lastIndexOf('\n', index) + 1),
  )
}

function pushPlain(tokens: Token[], source: string): Token[] {
  if (source !== '') tokens.push({ type: 'text', raw: source, text: source, escaped: true })
  return tokens
}

/** Whether a paragraph is shown as plain text. */
export function isTooDense(source: string): boolean {
  if (source.length > INLINE_LENGTH_MAX) return true
  let markCount = 0
  for (const _ of source.matchAll(MARK)) {
    markCount += 1
    if (markCount > MARK_COUNT_MAX) return true
  }
  return false
}

export function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token
}

export function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token
}
