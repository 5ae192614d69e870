import type { Model } from './model'
import { mayRefer, walkReferences } from './schema-references'
import { jsonByteCountMax, readByteCountMax, scriptTokenCount } from './text-bytes'
import { type AudioPart, type PromptVisitor, walkPrompt } from './walk-prompt'

/** What a request makes a model read, before anything is counted. */
export interface PromptMeasure {
  /** No tokenizer makes more tokens of all the text than this many. */
  readonly byteCount: number
  /** How many more tokens than ours a tokenizer may make of the messages' scripts other than Latin. */
  readonly scriptTokenCount: number
  readonly messageCount: number
  readonly toolCount: number
  /** Pictures, whose data are not part of the bytes. */
  readonly imageCount: number
  /** The host fetches some of them, which may turn out to be films for a model that watches films. */
  readonly hasAddressedImages: boolean
  /** Sound, whose data are not part of the bytes. */
  readonly audioParts: readonly AudioPart[]
  readonly fileCount: number
  readonly fileCharacterCount: number
  /** There is something whose length only the model knows, once it has read it. */
  readonly isUnbounded: boolean
  /** Some of that may be sound, as in a film. */
  readonly hasHiddenSound: boolean
  /** Much of that is in schemas that some hosts write out again for each reference to them. */
  readonly hasManyReferences: boolean
  /** It may request that something in it be written to a cache. */
  readonly mayCache: boolean
  /** It may request a cache that lasts longer than the usual few minutes. */
  readonly mayCacheLong: boolean
  /** Everything that the tokenizer counts: texts of messages, and pieces of JSON. */
  texts(): Iterable<string>
}

/** What Python writes around a name and its value, one per line: `"": "", ` and a line break. */
const SIGNS_PER_ENTRY = 9

/** @param body the parsed request, already bounded in size */
export function measurePrompt(body: unknown): PromptMeasure {
  const audioParts: AudioPart[] = []
  const counts = {
    byteCount: 0,
    scriptTokenCount: 0,
    messageCount: 0,
    toolCount: 0,
    imageCount: 0,
    fileCount: 0,
    fileCharacterCount: 0,
  }
  let isUnbounded = false
  let hasHiddenSound = false
  let hasAddressedImages = false
  let mayCache = false
  let mayCacheLong = false
  let hasReferences = false
  const noteCache = (field: string) => {
    if (field === CACHE_MARK_FIELD) mayCache = true
    if (CACHE_LIFE_FIELDS.has(field)) mayCacheLong = true
  }
  const tally: PromptVisitor = {
    enters: () => true,
    prose(text) {
      const byteCount = readByteCountMax(text)
      counts.byteCount += byteCount
      if (byteCount > text.length) counts.scriptTokenCount += scriptTokenCount(text)
      hasReferences ||= mayRefer(text)
    },
    label(field) {
      counts.byteCount += readByteCountMax(field)
      noteCache(field)
    },
    json(text, place) {
      counts.byteCount += jsonByteCountMax(text)
      if (place === 'value') return
      noteCache(text)
      if (text === '$ref') hasReferences = true
    },
    entry() {
      counts.byteCount += SIGNS_PER_ENTRY
    },
    message() {
      counts.messageCount += 1
    },
    tool() {
      counts.toolCount += 1
    },
    picture(isAddressed) {
      counts.imageCount += 1
      hasAddressedImages ||= isAddressed
    },
    sound(part) {
      audioParts.push(part)
    },
    file(characterCount) {
      counts.fileCount += 1
      counts.fileCharacterCount += characterCount
    },
    hiddenSound() {
      hasHiddenSound = true
    },
    unknownLength() {
      isUnbounded = true
    },
  }
  walkPrompt(body, tally)
  const { byteCount } = counts
  if (hasReferences) walkReferences(body, tally)
  const hasManyReferences = counts.byteCount - byteCount > Math.min(byteCount, REFERENCE_BYTES_MAX)
  const found = { audioParts, hasAddressedImages, isUnbounded, hasHiddenSound, mayCache, mayCacheLong }
  return { ...counts, ...found, hasManyReferences, texts: () => textsOf(body) }
}

/** Beside many bytes, too, since they may have few tokens, as a long space has. About a thousand tokens of JSON. */
const REFERENCE_BYTES_MAX = 10_000

/** Google's and Amazon's models watch films, whether or not their host says so. */
const WATCHES_BY_NAME = /gemini|nova/i
/** Families that read documents at Amazon Bedrock, to which LiteLLM passes on whatever is at a picture's address. */
const READS_BY_NAME = /claude|llama|mistral|pixtral|command|jamba|palmyra|deepseek/i

/**
 * Hosts go by what they find at an address: a model that watches films also watches one that is declared a picture, and
 * reads a document that is. A known router takes no document for a picture.
 */
export function withFetchedFiles(
  models: readonly Model[],
  measure: PromptMeasure,
  { routes }: { routes: boolean },
): PromptMeasure {
  if (!measure.hasAddressedImages) return measure
  const takes = (modality: string, byName: RegExp) =>
    models.some(({ id, inputModalities }) => inputModalities.includes(modality) || byName.test(id))
  if (takes('video', WATCHES_BY_NAME)) return { ...measure, isUnbounded: true, hasHiddenSound: true }
  return !routes && takes('file', READS_BY_NAME) ? { ...measure, isUnbounded: true } : measure
}

/**
 * A bound for the same prompt in two forms. Pictures, sound and files are taken from the first form, which
 * distinguishes them.
 */
export function longerOf(measure: PromptMeasure, other: PromptMeasure): PromptMeasure {
  const { texts } = other.byteCount > measure.byteCount ? other : measure
  return {
    ...measure,
    texts,
    byteCount: Math.max(measure.byteCount, other.byteCount),
    scriptTokenCount: Math.max(measure.scriptTokenCount, other.scriptTokenCount),
    messageCount: Math.max(measure.messageCount, other.messageCount),
    toolCount: Math.max(measure.toolCount, other.toolCount),
    hasManyReferences: measure.hasManyReferences || other.hasManyReferences,
    mayCache: measure.mayCache || other.mayCache,
    mayCacheLong: measure.mayCacheLong || other.mayCacheLong,
  }
}

const CACHE_MARK_FIELD = 'cache_control'
/** The lifetime of a cache, as Anthropic and OpenAI name it. */
const CACHE_LIFE_FIELDS = new Set(['ttl', 'prompt_cache_retention'])

/** Fields of a request that do not reach the model. */
const UNREAD_FIELDS = new Set([
  'model',
  'models',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
  'seed',
  'stop',
  'logit_bias',
  'modalities',
  'audio',
  'reasoning_effort',
  'service_tier',
  'user',
  'metadata',
  'provider',
  'plugins',
  'size',
  'quality',
])
/** Fields of messages and their parts that a chat template replaces by tokens of its own. */
const LABEL_FIELDS = new Set(['role', 'type', 'id', 'tool_call_id', 'call_id', 'status', 'detail'])

/** A longer text is not a label, wherever it is. */
const LABEL_CHARACTER_COUNT_MAX = 64

function isReadable(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'object'
}

function textsOf(body: unknown): string[] {
  const texts: string[] = []
  const ignore = () => {}
  walkPrompt(body, {
    // Numbers at the top level are settings.
    enters: (field, value) => !UNREAD_FIELDS.has(field) && isReadable(value),
    prose(text, field) {
      const isLabel = field !== null && LABEL_FIELDS.has(field) && text.length <= LABEL_CHARACTER_COUNT_MAX
      if (!isLabel) texts.push(text)
    },
    json(text, place) {
      texts.push(place === 'name' ? `"${text}":` : `"${text}",`)
    },
    label: ignore,
    entry: ignore,
    message: ignore,
    tool: ignore,
    picture: ignore,
    sound: ignore,
    file: ignore,
    hiddenSound: ignore,
    unknownLength: ignore,
  })
  return texts
}
