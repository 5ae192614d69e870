import type { AnswerParameters, Steering } from './steering'

/**
 * A conversation as it is kept in the browser. `id`, `created_at`, `messages`, `content` and the two
 * part types are the specification's; the optional fields are ours, and a reader of the
 * specified shape can ignore them.
 */
export interface Conversation extends Steering {
  id: string
  /** ISO 8601. */
  created_at: string
  messages: Message[]
  /** What stands beside the messages above: other versions of a turn, and what follows them (turns.ts). */
  branches?: Message[]
  /** Ids of hidden messages with which what was shown ended, the latest last: there one comes back to (turns.ts). */
  seen_ends?: string[]
  title?: string
  /** ISO 8601, of the last write by any tab. */
  updated_at?: string
  /** ISO 8601; absent until it was renamed. Between tabs the last title wins, whatever else they write. */
  title_updated_at?: string
  /** ISO 8601; absent until it was steered. Likewise for the fields of `Steering`, all together. */
  steering_updated_at?: string
  model?: string
  /** So many of the messages before a question go along at the most; absent: as far as `maxContext` reaches. */
  earlier_messages_max?: number
}

/** More than any conversation has: all of them. */
export const EARLIER_MESSAGES_HIGHEST = 100_000

/** The fields of `AnswerParameters` stand on an answer: what it was asked for with, as far as its model has them. */
export interface Message extends AnswerParameters {
  role: 'user' | 'assistant' | 'system'
  content: string | ContentPart[]
  id?: string
  /** Id of the message that it follows, null for the first; absent where the order of the messages says so. */
  parent?: string | null
  created_at?: string
  /** ISO 8601; absent on what is as it was first written. Between tabs the last change of a message wins. */
  updated_at?: string
  /** The assistant's model, cost and end; absent on what a person wrote. */
  model?: string
  reasoning?: string
  receipt?: Receipt
  /** Absent until the answer has been read aloud. */
  speech_receipt?: SpeechReceipt
  /** `streaming` in storage means that the page went away before the answer ended. */
  status?: 'streaming' | 'completed' | 'stopped' | 'failed'
  error_code?: string
  /** Why the model ended (`stop`, `length`…), as the upstream says. */
  finish_reason?: string
  /** Carries on the answer before it, which ended too early. */
  continues?: boolean
  /** Not sent along any more: the person has left it out. */
  left_out?: boolean
  /** Names the comparison that it is one answer of (comparisons.ts): the same for all that stand side by side. */
  comparison?: string
  /** It was chosen from its comparison, and is shown alone from then on. */
  kept?: boolean
  /**
   * On a branch: says in short all that was said up to the message that it follows, and goes along in its place.
   * It is nobody's turn: nothing follows it, and it is never shown as one.
   */
  summarises?: boolean
  /** Ids of the answers that it was made from. */
  merges?: string[]
  /** On an answer: its model takes files, so that a repeated request is the same, whatever list is loaded. */
  takes_files?: boolean
  /** Likewise: its model takes pictures, and so their addresses on the web. */
  takes_pictures?: boolean
  /** Likewise: how many tokens its model reads and writes at once. */
  window_tokens?: number
  /** The exchange's id, to resume or stop it. */
  exchange_id?: string
  /** Where the answer was found, as its host says; in OpenAI's shape. */
  annotations?: Citation[]
  /** What its host did on the way; in OpenAI's shape. Never sent back. */
  tool_calls?: ToolCall[]
  timing?: Timing
}

export interface Citation {
  type: 'url_citation'
  url_citation: { url: string; title?: string }
}

export interface ToolCall {
  type: 'function'
  function: { name: string; arguments: string }
}

/** How long an answer took, as seen from this browser. */
export interface Timing {
  /** From the request to the first word, or the first thought that was shown. */
  first_token_ms: number
  /** From the request to the last word. */
  total_ms: number
  /** Of that: how long the model thought, where it showed that. */
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
    /** `document-store:<id>`; in other products' stores a data address or one of the web. */
    url: string
    created_at: string
    name?: string
    /** About what it adds to the prompt; for the estimate, never for a charge. */
    token_count?: number
    /** How many tokens more a tokenizer may make of its script; absent for Latin. */
    script_token_count?: number
    /** The person chose that models which take files get the file, not its text. */
    whole?: boolean
  }
}

/** What an answer cost, as its last chunk said. */
export interface Receipt {
  /** Decimal dollars charged, exact to the nano-dollar. */
  cost_usd: string
  input_token_count: number
  output_token_count: number
  /** Those of them that were thought, not said; absent where the host does not tell. */
  reasoning_token_count?: number
  /** Tokens that its host read from its cache; absent where it does not tell. */
  cached_token_count?: number
  /** Tokens that it put into it. */
  cache_write_token_count?: number
  /** Pictures that were drawn; absent where words were asked for. */
  image_count?: number
  estimated: boolean
  /** Decimal dollars that were left; on answers that ended at a limit of their length. */
  left_usd?: string
}

/** What reading an answer aloud has cost so far. */
export interface SpeechReceipt {
  /** Decimal dollars charged, exact to the nano-dollar. */
  cost_usd: string
}

/** The written part of a message. */
export function messageText(message: Pick<Message, 'content'>): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** The same message in other words, with what is attached to it. */
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
 * Whether an answer ended early because the credit reached no further. Its length is limited to what the balance
 * pays for: where less is left than it cost, that was the limit, and not the model's own.
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
