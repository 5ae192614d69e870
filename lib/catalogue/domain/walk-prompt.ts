import { asText, fieldsOf, isObject } from '@/lib/http/domain/is-object'

/** Called for what a walk over a request finds, in no particular order. */
export interface PromptVisitor {
  /** Returns false to skip a field of the request. */
  enters(field: string, value: unknown): boolean
  /** A text of a message. `field` is its name in its object. */
  prose(text: string, field: string | null): void
  /** The name of a field of the request, a message or a part, which chat templates replace by tokens of their own. */
  label(field: string): void
  /** A name, text or number that reaches the model within JSON: of tools, their calls, formats, unknown fields. */
  json(text: string, place: 'name' | 'value'): void
  /** Any item of a list or an object in JSON, with its punctuation. */
  entry(): void
  message(): void
  tool(): void
  /** At an address on the web there may be something else. */
  picture(isAddressed: boolean): void
  sound(part: AudioPart): void
  file(characterCount: number): void
  /** Something that may contain sound of unknown length. */
  hiddenSound(): void
  /** Something whose length only the model knows, once it has read it. */
  unknownLength(): void
}

/** Sound that is sent, in base64. */
export interface AudioPart {
  readonly base64Length: number
}

/** Fields of a request, in several dialects, that hold the conversation. */
const CONVERSATION_FIELDS = new Set(['messages', 'input', 'system', 'instructions', 'prompt'])
/** Fields of a message that hold the model's calls, which are JSON. */
const CALL_FIELDS = new Set(['tool_calls', 'function_call', 'arguments', 'input'])
/** Fields that contain pictures to draw from. */
const PICTURE_FIELDS = new Set(['image', 'images', 'mask', 'input_references', 'reference_images'])
/** OpenAI's original name for tools is still accepted. */
const TOOL_FIELDS = new Set(['tools', 'functions'])
/** Fields that refer to something that a host stores, and reads before this conversation. */
const REFERENCE_FIELDS = new Set(['previous_response_id', 'conversation'])

/** In which field a part holds a picture; its other fields count as text. */
const PICTURE_PARTS = {
  image_url: 'image_url',
  input_image: 'image_url',
  image: 'source',
  computer_screenshot: 'image_url',
} as const
const SOUND_PARTS = { input_audio: 'input_audio', audio_url: 'audio_url' } as const
/**
 * Files at an address or under an id, and files in the request itself, of which a hundred kilobytes of PDF can unpack
 * to millions of words.
 */
const FILE_PARTS = [
  'file',
  'input_file',
  'document',
  'video_url',
  'input_video',
  'container_upload',
  'item_reference',
] as const
const FILE_FIELDS = new Set(['file', 'file_data', 'source', 'video_url', 'video'])
/** Parts whose text reaches the model unchanged. */
const TEXT_PARTS = [
  'message',
  'text',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'refusal',
  'reasoning',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'function_call',
  'function_call_output',
  'computer_call_output',
] as const
/** A part of any other type counts as JSON, whatever a host makes of it: a contract lets only these pass. */
export type KnownPart =
  | (typeof TEXT_PARTS)[number]
  | keyof typeof PICTURE_PARTS
  | keyof typeof SOUND_PARTS
  | (typeof FILE_PARTS)[number]
const FILES: ReadonlySet<string> = new Set(FILE_PARTS)
const PARTS: ReadonlySet<string> = new Set([
  ...TEXT_PARTS,
  ...Object.keys(PICTURE_PARTS),
  ...Object.keys(SOUND_PARTS),
  ...FILE_PARTS,
])
/** A data URL in a picture's place that is no picture: some upstreams accept PDFs there. */
const DATA_OTHER_THAN_PICTURE = /^\s*data:(?!image\/(?!svg))/i
const READ_ALONE = /^data:(application\/pdf|text\/)/i
const PICTURE_ADDRESS = /^(data:image\/(?!svg)|https?:)/i
/** On the web, or in the host's own storage, such as `gs:`. */
const ADDRESS = /^\s*([a-z][a-z\d+.-]*:)?\/\//i
/** The declared type of a picture, in several dialects; LiteLLM's is `format`. */
const MEDIA_TYPE_FIELDS = ['media_type', 'mime_type', 'mimeType', 'format'] as const
const OTHER_MEDIA_TYPE = /^(?!\s*image\/(?!svg)).*\//is
/** A longer address is not fetched; data URLs have megabytes. */
const ADDRESS_LENGTH_MAX = 8_192
/** An address whose file name shows that it is not a picture counts as one, too. */
const FILE_OTHER_THAN_PICTURE =
  /^\s*([a-z][a-z\d+.-]*:)?\/\/[^?#]*\.(pdf|docx?|pptx?|xlsx?|svg|mp4|m4v|mov|mpe?g|mpegps|webm|mkv|avi|flv|wmv|3gpp?)\s*([?#]|$)/i

/**
 * Walks over everything in a request that a model may read. Linear and iterative, since a hostile body can be nested
 * deeper than the call stack. The data of pictures, sound and files are skipped.
 *
 * @param body the parsed request, already bounded in size
 */
export function walkPrompt(body: unknown, visit: PromptVisitor): void {
  const conversation: unknown[] = []
  const json: unknown[] = isObject(body) ? [] : [body]
  for (const [field, value] of isObject(body) ? Object.entries(body) : []) {
    if (!visit.enters(field, value)) continue
    visit.label(field)
    if (REFERENCE_FIELDS.has(field) && value !== null) visit.unknownLength()
    if (TOOL_FIELDS.has(field) && Array.isArray(value)) for (const _ of value) visit.tool()
    if (field === 'prompt' && isObject(value)) visit.unknownLength()
    if (PICTURE_FIELDS.has(field))
      for (const picture of oneOrMore(value)) visitPicture(picture, conversation, visit)
    else if (!CONVERSATION_FIELDS.has(field)) json.push(value)
    else if (typeof value === 'string') visit.prose(value, field)
    else conversation.push(value)
  }
  while (conversation.length > 0) {
    const value = conversation.pop()
    if (Array.isArray(value)) {
      for (const item of value) {
        if (typeof item === 'string') visit.prose(item, null)
        else if (Array.isArray(item)) json.push(item)
        else conversation.push(item)
      }
    } else if (isPart(value)) walkPart(value, { conversation, json, visit })
    else json.push(value)
  }
  walkJson(json, visit)
}

function oneOrMore(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Whatever its type, a host looks for a picture in this place. */
function visitPicture(picture: unknown, conversation: unknown[], visit: PromptVisitor): void {
  if (typeof picture === 'string') {
    visit.picture(ADDRESS.test(picture))
    if (!PICTURE_ADDRESS.test(picture)) visit.prose(picture, null)
    return
  }
  const type = asText(fieldsOf(picture).type)
  const isCountedByType = fieldOf(PICTURE_PARTS, type) !== undefined
  if (isObject(picture) && !isCountedByType) visit.picture(isAddressed(picture))
  conversation.push(picture)
}

/** A message, or a part of one. How a host writes anything else is unknown. */
function isPart(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  return 'role' in value || (typeof value.type === 'string' && PARTS.has(value.type))
}

function walkPart(
  part: Record<string, unknown>,
  { conversation, json, visit }: { conversation: unknown[]; json: unknown[]; visit: PromptVisitor },
): void {
  const type = asText(part.type)
  const isMessage = 'role' in part
  if (isMessage) visit.message()
  // An earlier spoken answer, which the host still has.
  if (isMessage && isObject(part.audio)) {
    visit.unknownLength()
    visit.hiddenSound()
  }
  // Some hosts go only by the type, others only by the role: with both, it counts as a picture, and its text
  // counts, too.
  const pictureField = fieldOf(PICTURE_PARTS, type)
  const soundField = fieldOf(SOUND_PARTS, type)
  const isFile = FILES.has(type)
  if (isFile) {
    visit.unknownLength()
    visit.file(payloadLength(part))
    if (!isSilent(part)) visit.hiddenSound()
  }
  if (pictureField) visit.picture(isAddressed(part[pictureField]))
  if (pictureField && (isOtherMedia(part) || isOtherData(part[pictureField]))) {
    visit.unknownLength()
    visit.hiddenSound()
  }
  if (soundField) visit.sound(soundOf(part[soundField]))
  for (const [field, value] of Object.entries(part)) {
    visit.label(field)
    const isData = field === pictureField || field === soundField || (isFile && FILE_FIELDS.has(field))
    const words = isData && !isMessage && isObject(value) ? wordsOf(value) : undefined
    if (isData && !isMessage && words === undefined) continue
    if (CALL_FIELDS.has(field)) json.push(value)
    else if (typeof value === 'string') visit.prose(value, field)
    else if (typeof words === 'string') visit.prose(words, null)
    else conversation.push(words ?? value)
  }
}

/** Anthropic's documents may be plain text in the request itself, and no files. */
function wordsOf({ type, data, content }: Record<string, unknown>): unknown {
  return type === 'text' ? data : type === 'content' ? content : undefined
}

function walkJson(pending: unknown[], visit: PromptVisitor): void {
  while (pending.length > 0) {
    const value = pending.pop()
    if (Array.isArray(value)) {
      for (const item of value) {
        visit.entry()
        pending.push(item)
      }
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        visit.entry()
        visit.json(name, 'name')
        pending.push(item)
      }
    } else visit.json(String(value), 'value')
  }
}

function fieldOf(fields: Readonly<Record<string, string>>, type: string): string | undefined {
  return Object.hasOwn(fields, type) ? fields[type] : undefined
}

/** An address, or an object with one, in the forms of several dialects. */
function textsOf(payload: unknown): string[] {
  const values = isObject(payload) ? Object.values(payload) : [payload]
  return values.filter(value => typeof value === 'string')
}

/** A file within the request that can only be text. Any other may be a film. */
function isSilent(part: Record<string, unknown>): boolean {
  const { file_data: data, ...rest } = isObject(part.file) ? part.file : part
  return typeof data === 'string' && READ_ALONE.test(data) && !MEDIA_TYPE_FIELDS.some(field => field in rest)
}

function isAddressed(payload: unknown): boolean {
  return textsOf(payload).some(text => ADDRESS.test(text))
}

function isOtherData(payload: unknown): boolean {
  return isOtherMedia(payload) || textsOf(payload).some(isOtherThanPicture)
}

/** Some hosts trust it more than the address. */
function isOtherMedia(value: unknown): boolean {
  const types = isObject(value) ? MEDIA_TYPE_FIELDS.map(field => value[field]) : []
  return types.some(type => typeof type === 'string' && OTHER_MEDIA_TYPE.test(type))
}

function isOtherThanPicture(text: string): boolean {
  return DATA_OTHER_THAN_PICTURE.test(text) || FILE_OTHER_THAN_PICTURE.test(text.slice(0, ADDRESS_LENGTH_MAX))
}

function payloadLength(part: Record<string, unknown>): number {
  const payloads = Object.entries(part).filter(([field]) => FILE_FIELDS.has(field))
  const texts = payloads.flatMap(([, payload]) => textsOf(payload))
  return texts.reduce((sum, text) => sum + text.length, 0)
}

function soundOf(payload: unknown): AudioPart {
  return { base64Length: textsOf(payload).reduce((longest, text) => Math.max(longest, text.length), 0) }
}
