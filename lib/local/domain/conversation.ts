import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import type { AnswerParameters, Steering } from './steering'

/**
 * A conversation as the browser stores it. `id`, `created_at`, `messages`, `content` and the two part types are the
 * specification's; the optional fields are ours, and a reader of the specified shape can ignore them.
 */
export interface Conversation extends Steering {
  id: string
  /** ISO 8601. */
  created_at: string
  messages: Message[]
  /** Messages beside those above: other versions of a turn, and what follows them (turns.ts). */
  branches?: Message[]
  /**
   * Ids of hidden messages at which the shown path once ended, the latest last: showing them again returns there
   * (turns.ts).
   */
  seen_ends?: string[]
  title?: string
  /** ISO 8601, of the last write by any tab. */
  updated_at?: string
  /** ISO 8601; absent until it was renamed. Of several tabs the last title wins, whatever else they write. */
  title_updated_at?: string
  /** ISO 8601; absent until it was changed. The same for the fields of `Steering`, all together. */
  steering_updated_at?: string
  model?: string
  /** The most messages before a question to send with it; absent: as many as `maxContext` allows. */
  earlier_messages_max?: number
}

/** More than any conversation has: all of them. */
export const EARLIER_MESSAGES_HIGHEST = 100_000

/** Why an answer failed. What is stored or imported may also have a code that only another version knows. */
export type AnswerErrorCode = CallErrorCode | 'connection_lost' | 'rest_lost'

/** The fields of `AnswerParameters` on an answer are those it was requested with, as far as its model has them. */
export interface Message extends AnswerParameters {
  role: 'user' | 'assistant' | 'system'
  content: string | ContentPart[]
  id?: string
  /** The id of the message that it follows, null for the first; absent if the order of the messages determines it. */
  parent?: string | null
  created_at?: string
  /** ISO 8601; absent if it was never changed. Of several tabs the last change of a message wins. */
  updated_at?: string
  /** The assistant's model, cost and end; absent on what a person wrote. */
  model?: string
  reasoning?: string
  receipt?: Receipt
  /** Absent until the answer has been read aloud. */
  speech_receipt?: SpeechReceipt
  /** If `streaming` is stored, the page went away before the answer ended. */
  status?: 'streaming' | 'completed' | 'stopped' | 'failed'
  error_code?: AnswerErrorCode
  /** Why the model ended (`stop`, `length`…), as reported by the upstream. */
  finish_reason?: string
  /** Whether it continues the answer before it, which ended too early. */
  continues?: boolean
  /** Whether the person has excluded it from what is sent. */
  left_out?: boolean
  /** The comparison that it belongs to (comparisons.ts), the same for all answers side by side. */
  comparison?: string
  /** It was chosen from its comparison, and is shown alone from then on. */
  kept?: boolean
  /**
   * On a branch: a summary of everything up to the message that it follows, which is sent in place of that. It is not a
   * turn: nothing follows it, and it is never shown as one.
   */
  summarises?: boolean
  /** Ids of the answers that it was merged from. */
  merges?: string[]
  /** On an answer: its model accepts files. Stored so that a repeated request is the same, whatever list is loaded. */
  takes_files?: boolean
  /** Likewise: its model accepts pictures, and therefore their addresses on the web. */
  takes_pictures?: boolean
  /** Likewise: how many tokens fit in its model's context. */
  window_tokens?: number
  /** The exchange's id, to resume or stop it. */
  exchange_id?: string
  /** The sources of the answer, as listed by its host; in OpenAI's format. */
  annotations?: Citation[]
  /** What its host did while answering; in OpenAI's format. Never sent back. */
  tool_calls?: ToolCall[]
  timing?: Timing
}

/** What is stored of an answer's sources and tool calls; anything longer is not a source but a page. */
export const EXTRAS_MAX = { citations: 50, citationLength: 2_048, toolCalls: 32, toolLength: 8_000 } as const

export interface Citation {
  type: 'url_citation'
  url_citation: { url: string; title?: string }
}

export interface ToolCall {
  type: 'function'
  function: { name: string; arguments: string }
}

/** How long an answer took, as measured in this browser. */
export interface Timing {
  /** From the request to the first word, or the first reasoning that was shown. */
  first_token_ms: number
  /** From the request to the last word. */
  total_ms: number
  /** The part of it that the model spent reasoning, if that was shown. */
  reasoning_ms?: number
}

export type ContentPart = TextPart | ImagePart | DocumentPart

interface TextPart {
  type: 'text'
  text: string
}

interface ImagePart {
  type: 'image_url'
  image_url: { url: string; created_at: string }
}

export interface DocumentPart {
  type: 'document_url'
  document_url: {
    /** `document-store:<id>`; in other products' stores a data address or one on the web. */
    url: string
    created_at: string
    name?: string
    /** About how much it adds to the prompt; for the estimate, never for a charge. */
    token_count?: number
    /** How many more tokens a tokenizer may make of its script; absent for Latin. */
    script_token_count?: number
    /** The person chose that models which accept files get the file instead of its text. */
    whole?: boolean
  }
}

/** The cost of an answer, from its last chunk. */
export interface Receipt {
  /** Decimal dollars charged, exact to the nano-dollar. */
  cost_usd: string
  input_token_count: number
  output_token_count: number
  /** The part of them that was reasoning; absent if the host does not report it. */
  reasoning_token_count?: number
  /** Tokens that its host read from its cache; absent if not reported. */
  cached_token_count?: number
  /** Tokens that its host wrote to its cache. */
  cache_write_token_count?: number
  /** Pictures that were drawn; absent for text answers. */
  image_count?: number
  estimated: boolean
  /** Decimal dollars that were left; on answers that ended at a length limit. */
  left_usd?: string
}

/** What reading an answer aloud has cost so far. */
export interface SpeechReceipt {
  /** Decimal dollars charged, exact to the nano-dollar. */
  cost_usd: string
}

/** The text of a message. */
export function messageText(message: Pick<Message, 'content'>): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** The message's content with another text, and the same attachments. */
export function withText(content: Message['content'], text: string): Message['content'] {
  if (typeof content === 'string') return text
  const attached = content.filter(({ type }) => type !== 'text')
  return text === '' ? attached : [{ type: 'text', text }, ...attached]
}

/** Whether an answer ended at the length that the person has set. */
export function hasReachedOwnLength({ max_tokens: lengthMax, receipt }: Message): boolean {
  return lengthMax !== undefined && (receipt?.output_token_count ?? 0) >= lengthMax
}

/**
 * Whether an answer ended before it was whole, for whatever reason. One whose end another version or product did not
 * keep counts as whole.
 */
export function isUnfinished({ status = 'completed', finish_reason: finishReason }: Message): boolean {
  return status !== 'completed' || finishReason === 'length'
}

/**
 * Whether an answer ended early because of the credit. Its length is limited to what the balance can pay for: if less
 * is left than the answer cost, that was the limit, rather than the model's own.
 */
export function isCutByBalance(message: Message): boolean {
  const { finish_reason: finishReason, receipt } = message
  if (finishReason !== 'length' || hasReachedOwnLength(message)) return false
  return receipt?.left_usd !== undefined && Number(receipt.left_usd) < Number(receipt.cost_usd)
}

/** Addresses of a message's pictures. */
export function picturesOf({ content }: Pick<Message, 'content'>): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'image_url' ? [part.image_url.url] : []))
}

/** A message's documents. */
export function documentsOf({ content }: Pick<Message, 'content'>): readonly DocumentPart['document_url'][] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'document_url' ? [part.document_url] : []))
}
