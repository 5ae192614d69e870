import 'server-only'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { isObject } from '@/lib/http/domain/is-object'

/** What the common image-making models count for a picture. */
const TOKENS_PER_IMAGE = 1_290
/** Sound as base64: the thinnest in use is 64 kbit/s, and a second of it is some twenty tokens. */
const CHARACTERS_PER_AUDIO_TOKEN = 500
/** Names under which some upstreams send the same thoughts twice; they count once. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
])
/** Say what a thing is, not what it says. */
const LABEL_FIELDS: ReadonlySet<string> = new Set(['role', 'id', 'type', 'index', 'format', 'call_id'])
/** Joined now and then, so that an answer is not kept as ten thousand little texts. */
const PIECE_COUNT_MAX = 256

export interface DeliveredCounts {
  outputTokenCount: number
  reasoningTokenCount: number
  audioOutputTokenCount: number
  imageOutputTokenCount: number
}

/**
 * Collects what is handed on of an answer, whatever form a delta has: words, tool calls, thoughts, pictures,
 * sound and what nobody here has heard of yet. Counted only when the upstream does not tell a count.
 */
export class Delivered {
  readonly #words: string[] = []
  readonly #thoughts = new Map<string, string[]>()
  #imageCount = 0
  #audioCharacterCount = 0

  get hasOutput(): boolean {
    return this.hasThoughts || this.#words.length > 0 || this.#imageCount + this.#audioCharacterCount > 0
  }

  /** Thoughts were shown, so that they can be counted. */
  get hasThoughts(): boolean {
    return this.#thoughts.size > 0
  }

  /** A choice's `delta`, or its whole `message`. */
  add(delta: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(delta)) {
      if (LABEL_FIELDS.has(name) || value === null) continue
      if (REASONING_FIELDS.has(name)) this.#addThoughts(name, value)
      else this.#addValue(name, value, this.#words)
    }
  }

  async count(): Promise<DeliveredCounts> {
    const thoughts = await Promise.all([...this.#thoughts.values()].map(texts => countTokens(texts)))
    const reasoningTokenCount = Math.max(0, ...thoughts)
    const audioOutputTokenCount = Math.ceil(this.#audioCharacterCount / CHARACTERS_PER_AUDIO_TOKEN)
    const words = await countTokens([this.#words.join('')])
    const imageOutputTokenCount = this.#imageCount * TOKENS_PER_IMAGE
    return {
      reasoningTokenCount,
      audioOutputTokenCount,
      imageOutputTokenCount,
      outputTokenCount: words + reasoningTokenCount + audioOutputTokenCount + imageOutputTokenCount,
    }
  }

  #addThoughts(name: string, value: unknown): void {
    const texts: string[] = []
    this.#addValue(name, value, texts)
    if (texts.length === 0) return
    const known = this.#thoughts.get(name) ?? []
    this.#thoughts.set(name, known)
    for (const text of texts) push(known, text)
  }

  /** With a stack of its own: an upstream can nest deeper than the call stack. */
  #addValue(name: string, value: unknown, texts: string[]): void {
    const pending: [string, unknown][] = [[name, value]]
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [field, item] = next
      if (typeof item === 'string') this.#addText(field, item, texts)
      else if (Array.isArray(item)) for (const entry of [...item].reverse()) pending.push([field, entry])
      else if (isObject(item))
        for (const [key, entry] of Object.entries(item))
          if (!LABEL_FIELDS.has(key)) pending.push([key, entry])
    }
  }

  #addText(field: string, text: string, texts: string[]): void {
    if (text === '') return
    if (text.startsWith('data:image/')) this.#imageCount += 1
    else if (field === 'data') this.#audioCharacterCount += text.length
    else push(texts, text)
  }
}

function push(texts: string[], text: string): void {
  texts.push(text)
  if (texts.length > PIECE_COUNT_MAX) texts.splice(0, texts.length, texts.join(''))
}
