import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { TOKENS_PER_IMAGE, TOKENS_PER_MESSAGE } from '@/lib/catalogue/domain/prompt-tokens'
import { readByteCountMax, scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import {
  type ContentPart,
  type DocumentPart,
  type Message,
  messageText,
} from '@/lib/local/domain/conversation'

/** For a document of unknown length: a few pages of text. */
const TOKENS_PER_DOCUMENT = 3000

/** A larger count is damaged data, or a malicious file. */
const DOCUMENT_TOKEN_COUNT_MAX = 10_000_000

/** For a text of which only the token count is known; even runs of spaces have no more bytes per token. */
const BYTES_PER_TOKEN_MAX = 10
/** For the document's name and the like around its text. */
const BYTES_AROUND_DOCUMENT = 1_000

/** What is known of a message before it is sent. All but the bytes is an estimate, since only its model can count. */
export interface MessageMeasure {
  readonly tokenCount: number
  /** How many more tokens than ours a tokenizer may make of scripts other than Latin. */
  readonly scriptTokenCount: number
  /** No tokenizer makes more tokens of its words. */
  readonly byteCountMax: number
  readonly imageCount: number
  /** A file is sent as it is; only the model knows its length in tokens. */
  readonly hasWholeFile: boolean
}

type Measured = Pick<Message, 'role' | 'content'>

const measures = new WeakMap<Measured, MessageMeasure>()

export function measureMessage(message: Measured): MessageMeasure {
  const known = measures.get(message)
  if (known !== undefined) return known
  const measure = measured(message)
  // A message never changes: an edit makes another one.
  measures.set(message, measure)
  return measure
}

/** This much text takes less than a frame, even on a slow computer. */
const MEASURED_AT_ONCE_CHARACTER_COUNT = 15_000

/** Measures some of the unmeasured messages, the last ones first. True once all are measured. */
export function measureSome(messages: readonly Message[]): boolean {
  let characterCount = 0
  for (const message of messages.toReversed()) {
    if (measures.has(message)) continue
    if (characterCount > MEASURED_AT_ONCE_CHARACTER_COUNT) return false
    characterCount += messageText(message).length
    measureMessage(message)
  }
  return true
}

/** For display and for the context window; the charge is by the upstream's count. */
export function countMessageTokens(message: Measured): number {
  return measureMessage(message).tokenCount
}

export function countTokensOf(messages: readonly Measured[]): number {
  return sumBy(messages, countMessageTokens)
}

function measured({ role, content }: Measured): MessageMeasure {
  // Of an answer with pictures, only the text is sent back.
  const isSent = ({ type }: ContentPart) => role === 'user' || type === 'text'
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content.filter(isSent)
  const documents = parts.flatMap(part => (part.type === 'document_url' ? [part] : []))
  const text = countText(messageText({ content: [...parts] }))
  return {
    tokenCount: sumBy(parts, countPartTokens) + TOKENS_PER_MESSAGE,
    scriptTokenCount: Math.ceil(text.scriptTokenCount) + sumBy(documents, countDocumentScripts),
    byteCountMax: text.byteCount + sumBy(documents, countDocumentBytes),
    imageCount: parts.filter(({ type }) => type === 'image_url').length,
    hasWholeFile: documents.some(
      ({ document_url: { url, whole } }) => whole === true || /^(data|https?):/i.test(url),
    ),
  }
}

function countDocumentTokens({ document_url: { token_count: count } }: DocumentPart): number {
  return isCount(count) ? count : TOKENS_PER_DOCUMENT
}

function countDocumentScripts({ document_url: { script_token_count: count } }: DocumentPart): number {
  return isCount(count) ? count : 0
}

function countDocumentBytes(document: DocumentPart): number {
  return countDocumentTokens(document) * BYTES_PER_TOKEN_MAX + BYTES_AROUND_DOCUMENT
}

/** What is stored may come from anywhere. */
function isCount(count: unknown): count is number {
  return typeof count === 'number' && count >= 0 && count <= DOCUMENT_TOKEN_COUNT_MAX
}

export function sumBy<Item>(items: readonly Item[], count: (item: Item) => number, first = 0): number {
  return items.reduce((sum, item) => sum + count(item), first)
}

export function countPartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return countText(part.text).tokenCount
    case 'image_url':
      return TOKENS_PER_IMAGE
    case 'document_url':
      return countDocumentTokens(part)
    default:
      // A part of a newer version's, which is not sent.
      return 0
  }
}

interface TextCount {
  readonly text: string
  readonly tokenCount: number
  readonly scriptTokenCount: number
  readonly byteCount: number
}

const NOTHING_COUNTED: TextCount = { text: '', tokenCount: 0, scriptTokenCount: 0, byteCount: 0 }
/** A text is counted by pieces of so many characters and the rest of their line. */
const PIECE_CHARACTER_COUNT = 4_000
/** As many as grow at once: what some models think and say side by side. */
const COUNTED_COUNT_MAX = 8
let countedLast: readonly TextCount[] = []

/** Counts a text, whose beginning may have been counted a moment ago: an answer grows, and is looked at often. */
export function countText(text: string): TextCount {
  const known = countedLast.find(counted => text.startsWith(counted.text)) ?? NOTHING_COUNTED
  let counted = known
  for (;;) {
    const start = counted.text.length
    const end = text.indexOf('\n', start + PIECE_CHARACTER_COUNT) + 1
    if (end === 0) break
    counted = countOn(counted, text.slice(start, end), text.slice(0, end))
  }
  if (counted !== known) {
    const others = countedLast.filter(one => one !== known)
    countedLast = [counted, ...others].slice(0, COUNTED_COUNT_MAX)
  }
  return countOn(counted, text.slice(counted.text.length), text)
}

function countOn(counted: TextCount, piece: string, text: string): TextCount {
  return {
    text,
    tokenCount: counted.tokenCount + estimateTokens(piece),
    scriptTokenCount: counted.scriptTokenCount + scriptTokenCount(piece),
    byteCount: counted.byteCount + readByteCountMax(piece),
  }
}
