import 'server-only'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { isObject } from '@/lib/http/domain/is-object'

/** What the common image-making models count for a picture. */
const TOKENS_PER_IMAGE = 1_290
/** Streamed sound is 24 kHz of 16 bits, in base64 64,000 characters a second, which count as twenty tokens. */
const CHARACTERS_PER_AUDIO_TOKEN = 3_200
const IMAGE_START = 'data:image/'
/** Names under which some upstreams send the same thoughts twice; they count once. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
])
/** Say what a thing is, not what it says. */
const LABEL_FIELDS: ReadonlySet<string> = new Set(['role', 'id', 'type', 'index', 'format', 'call_id'])
/** Under which a model's words and thoughts come, a piece at a time. */
export const WORD_FIELDS = ['content', 'reasoning', 'reasoning_content'] as const
export type DeltaField = (typeof WORD_FIELDS)[number]

/** Joined now and then, so that an answer is not kept as ten thousand little texts. */
const PIECE_COUNT_MAX = 256

/** Whether a field of a delta is there for its form alone. */
export function tellsNothing(name: string, value: unknown): boolean {
  return LABEL_FIELDS.has(name) || value === null || value === ''
}

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
  readonly #words = new Pieces()
  readonly #thoughts = new Map<string, Pieces>()
  #deltaCount = 0
  #imageCount = 0
  #audioCharacterCount = 0

  get hasOutput(): boolean {
    return this.deltaCount > 0
  }

  /** How many deltas said something, in whatever form. */
  get deltaCount(): number {
    return this.#deltaCount
  }

  /** Characters of its words, its thoughts apart. */
  get characterCount(): number {
    return this.#words.characterCount
  }

  /** A choice's `delta`, or its whole `message`. */
  add(delta: Record<string, unknown>): void {
    const before = this.#imageCount + this.#audioCharacterCount
    let hasText = false
    for (const [name, value] of Object.entries(delta)) {
      if (tellsNothing(name, value)) continue
      const texts = this.#textsOf(name, value)
      if (texts.length === 0) continue
      hasText = true
      if (REASONING_FIELDS.has(name)) this.#thoughtsOf(name).add(texts)
      else this.#words.add(texts)
    }
    if (hasText || this.#imageCount + this.#audioCharacterCount > before) this.#deltaCount += 1
  }

  /** A delta that is one piece of text and nothing else. @returns whether it said something */
  addText(field: DeltaField, text: string): boolean {
    const before = this.#deltaCount
    if (text === '' || text.startsWith(IMAGE_START)) this.add({ [field]: text })
    else {
      const pieces = field === 'content' ? this.#words : this.#thoughtsOf(field)
      pieces.add([text])
      this.#deltaCount += 1
    }
    return this.#deltaCount > before
  }

  async count(): Promise<DeliveredCounts> {
    const thoughts = await Promise.all([...this.#thoughts.values()].map(pieces => pieces.count()))
    const reasoningTokenCount = Math.max(0, ...thoughts)
    const audioOutputTokenCount = Math.ceil(this.#audioCharacterCount / CHARACTERS_PER_AUDIO_TOKEN)
    const words = await this.#words.count()
    const imageOutputTokenCount = this.#imageCount * TOKENS_PER_IMAGE
    return {
      reasoningTokenCount,
      audioOutputTokenCount,
      imageOutputTokenCount,
      outputTokenCount: words + reasoningTokenCount + audioOutputTokenCount + imageOutputTokenCount,
    }
  }

  #thoughtsOf(name: string): Pieces {
    const known = this.#thoughts.get(name) ?? new Pieces()
    this.#thoughts.set(name, known)
    return known
  }

  /** With a stack of its own: an upstream can nest deeper than the call stack. */
  #textsOf(name: string, value: unknown): string[] {
    const texts: string[] = []
    const pending: [string, unknown][] = [[name, value]]
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [field, item] = next
      if (typeof item === 'string') this.#addText(field, item, texts)
      else if (Array.isArray(item)) for (const entry of [...item].reverse()) pending.push([field, entry])
      else if (isObject(item))
        for (const [key, entry] of Object.entries(item))
          if (!LABEL_FIELDS.has(key)) pending.push([key, entry])
    }
    return texts
  }

  #addText(field: string, text: string, texts: string[]): void {
    if (text === '') return
    if (text.startsWith(IMAGE_START)) this.#imageCount += 1
    else if (field === 'data') this.#audioCharacterCount += text.length
    else texts.push(text)
  }
}

/** Text as it came, delta by delta. */
class Pieces {
  readonly #texts: string[] = []
  characterCount = 0
  #deltaCount = 0

  add(texts: readonly string[]): void {
    this.#deltaCount += 1
    for (const { length } of texts) this.characterCount += length
    this.#texts.push(...texts)
    if (this.#texts.length > PIECE_COUNT_MAX) this.#texts.splice(0, this.#texts.length, this.#texts.join(''))
  }

  /** By our tokenizer; but no delta is less than a token, whatever the model's own one makes of it. */
  async count(): Promise<number> {
    return Math.max(this.#deltaCount, await countTokens([this.#texts.join('')]))
  }
}
