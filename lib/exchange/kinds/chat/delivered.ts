import 'server-only'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'

/** What common models that draw count for a picture. */
const TOKENS_PER_DRAWN_IMAGE = 1_290
/** Streamed sound is 24 kHz at 16 bits: 64,000 characters of base64 a second, which count as twenty tokens. */
const CHARACTERS_PER_AUDIO_TOKEN = 3_200
const IMAGE_START = 'data:image/'
/** Some upstreams send the same reasoning under two of these names; it counts once. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
])
/**
 * Fields that describe a delta and are no output themselves; that hold what the model has read, not written: pages that
 * a search found, the text of a parsed file; and that only the host can read: signatures of its thoughts, which Google
 * and LiteLLM put beside a call (`extra_content`, `provider_specific_fields`). Each can be longer than the answer.
 */
const LABEL_FIELDS: ReadonlySet<string> = new Set([
  ...['role', 'id', 'type', 'index', 'format', 'call_id', 'logprobs'],
  ...['annotations', 'citations', 'citation', 'search_results'],
  ...['signature', 'thought_signature', 'extra_content', 'provider_specific_fields'],
])
/** Fields in which text and reasoning arrive piece by piece. */
export const WORD_FIELDS = ['content', 'reasoning', 'reasoning_content'] as const
export type DeltaField = (typeof WORD_FIELDS)[number]

/** After this many pieces they are joined, so that an answer is not kept as ten thousand small strings. */
const PIECE_COUNT_MAX = 256

/** Whether a field of a delta holds no output. */
export function isOnlyForm(name: string, value: unknown): boolean {
  return LABEL_FIELDS.has(name) || value === null || value === ''
}

export interface DeliveredCounts {
  outputTokenCount: number
  reasoningTokenCount: number
  audioOutputTokenCount: number
  imageOutputTokenCount: number
}

/**
 * Collects what is passed on of an answer, whatever form a delta has: text, tool calls, reasoning, pictures, sound
 * and fields that are unknown here. It is only counted if the upstream reports no count.
 */
export class Delivered {
  readonly #words = new Pieces()
  readonly #thoughts = new Map<string, Pieces>()
  readonly #pages = new Set<string>()
  #deltaCount = 0
  #imageCount = 0
  #audioCharacterCount = 0

  get hasOutput(): boolean {
    return this.deltaCount > 0
  }

  /** How many deltas held output, in whatever form. */
  get deltaCount(): number {
    return this.#deltaCount
  }

  /** Characters of its text, without its reasoning. */
  get characterCount(): number {
    return this.#words.characterCount
  }

  get hasPictures(): boolean {
    return this.#imageCount > 0
  }

  get hasSound(): boolean {
    return this.#audioCharacterCount > 0
  }

  /** Different pages that searches have found. */
  get pageCount(): number {
    return this.#pages.size
  }

  /** A choice's `delta`, or its whole `message`. */
  add(delta: Record<string, unknown>): void {
    const before = this.#imageCount + this.#audioCharacterCount
    let hasText = false
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'annotations') this.#addPages(value)
      if (isOnlyForm(name, value)) continue
      const texts = this.#textsOf(name, value)
      if (texts.length === 0) continue
      hasText = true
      if (REASONING_FIELDS.has(name)) this.#thoughtsOf(name).add(texts)
      else this.#words.add(texts)
    }
    if (hasText || this.#imageCount + this.#audioCharacterCount > before) this.#deltaCount += 1
  }

  /** A delta that is one piece of text and nothing else. @returns whether it held output */
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
    const imageOutputTokenCount = this.#imageCount * TOKENS_PER_DRAWN_IMAGE
    return {
      reasoningTokenCount,
      audioOutputTokenCount,
      imageOutputTokenCount,
      outputTokenCount: words + reasoningTokenCount + audioOutputTokenCount + imageOutputTokenCount,
    }
  }

  #addPages(annotations: unknown): void {
    for (const annotation of listOf(annotations)) {
      const { url } = fieldsOf(fieldsOf(annotation).url_citation)
      if (typeof url === 'string') this.#pages.add(url)
    }
  }

  #thoughtsOf(name: string): Pieces {
    const known = this.#thoughts.get(name) ?? new Pieces()
    this.#thoughts.set(name, known)
    return known
  }

  /** Iterative, since an upstream can nest deeper than the call stack. */
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

/** Text that arrives delta by delta. */
class Pieces {
  readonly #texts: string[] = []
  characterCount = 0
  #deltaCount = 0

  add(texts: readonly string[]): void {
    this.#deltaCount += 1
    // One by one: as arguments of one call, a hundred thousand of them are more than the stack takes.
    for (const text of texts) {
      this.characterCount += text.length
      this.#texts.push(text)
    }
    if (this.#texts.length > PIECE_COUNT_MAX) this.#texts.splice(0, this.#texts.length, this.#texts.join(''))
  }

  /** By our tokenizer, and at least one token per delta, whichever tokenizer the model has. */
  async count(): Promise<number> {
    return Math.max(this.#deltaCount, await countTokens([this.#texts.join('')]))
  }
}
