/** For a picture that is sent along, in addition to its own price if the model has one. */
const TOKENS_PER_PICTURE = 765
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_SECOND_OF_SOUND = 32
/** 64 kbit/s, if a recording's header does not say. */
const SOUND_BYTES_PER_SECOND = 8_000
const BYTES_PER_TOKEN_OF_FILE = 4
/** Fields of a request that a model reads besides its messages. */
const FIELDS_READ = ['tools', 'functions', 'response_format', 'prediction', 'text', 'output_config'] as const

/** Addresses of this host lead to videos of an hour, whatever they are called. */
export const FILM_HOST = 'films.example'
const TOKENS_PER_FILM = 1_000_000
/** Addresses of this host lead to papers of a hundred pages. */
export const PAPER_HOST = 'papers.example'
const TOKENS_PER_PAPER = 150_000

const PICTURE_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image'])

const PIECES = / ?[\p{L}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?=\S)|\s+/gu
const ASCII_PARTS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^A-Za-z]/g
const WRITTEN_BY_SYLLABLE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/**
 * About what a current tokenizer makes of a text: within a tenth of OpenAI's `o200k_base` for prose, code and JSON,
 * within a fifth for other scripts. A host's own count, deliberately not shared with the product.
 */
export function countTokens(text: string): number {
  let count = 0
  for (const [piece] of text.matchAll(PIECES)) count += tokensOfPiece(piece.trimStart())
  return count
}

function tokensOfPiece(piece: string): number {
  if (piece === '' || /^\p{N}/u.test(piece)) return 1
  if (/^[A-Za-z]/.test(piece)) {
    return [...piece.matchAll(ASCII_PARTS)].reduce((sum, [part]) => sum + Math.ceil(part.length / 8), 0)
  }
  const length = [...piece].length
  if (WRITTEN_BY_SYLLABLE.test(piece)) return Math.ceil(length * 0.75)
  return Math.ceil(length / (/^\p{L}/u.test(piece) ? 4 : 3))
}

export interface PromptCount {
  tokenCount: number
  /** Part of that. */
  soundTokenCount: number
  imageCount: number
  /** Whether something in it is to be cached. */
  hasCacheMark: boolean
  /** For an hour. */
  hasLongCacheMark: boolean
}

/** Everything in a request that the model reads, wherever it is. */
export function countPrompt(body: unknown): PromptCount {
  const fields = fieldsOf(body)
  const count: PromptCount = {
    tokenCount: 0,
    soundTokenCount: 0,
    imageCount: 0,
    hasCacheMark: false,
    hasLongCacheMark: false,
  }
  for (const name of FIELDS_READ) {
    if (fields[name] !== undefined) count.tokenCount += countTokens(JSON.stringify(fields[name]))
  }
  if (typeof fields.prompt === 'string') count.tokenCount += countTokens(fields.prompt)
  count.tokenCount += countInputs(fields.input) + picturesOf(fields) * TOKENS_PER_PICTURE
  for (const message of messagesOf(fields)) {
    const { content, role, ...rest } = fieldsOf(message)
    count.tokenCount += TOKENS_PER_MESSAGE
    if (typeof content === 'string') count.tokenCount += countTokens(content)
    for (const part of Array.isArray(content) ? content : []) addPart(count, fieldsOf(part))
    // Names, calls and their arguments.
    if (Object.keys(rest).length > 0) count.tokenCount += countTokens(JSON.stringify(rest))
  }
  return count
}

/** In all dialects; instructions count as one more. */
function messagesOf({ messages, input, system, instructions }: Record<string, unknown>): unknown[] {
  const items = Array.isArray(input) ? input.filter(isItem) : []
  const leading = [system, instructions].filter(content => content !== undefined && content !== null)
  return [...leading.map(content => ({ content })), ...(Array.isArray(messages) ? messages : []), ...items]
}

const isItem = (item: unknown) => typeof item === 'object' && !Array.isArray(item)

/** The input of embeddings: texts, or tokens by their numbers, and a separator after each. */
function countInputs(input: unknown): number {
  if (typeof input === 'string') return countTokens(input) + 1
  if (!Array.isArray(input)) return 0
  if (typeof input[0] === 'number') return input.length
  return input.reduce((sum: number, each) => sum + countInputs(each), 0)
}

/** The pictures to draw from: files of a form, or references beside the prompt. */
function picturesOf({ image, input_references: references }: Record<string, unknown>): number {
  return [image ?? [], references ?? []].flat().length
}

function addPart(count: PromptCount, part: Record<string, unknown>): void {
  if (part.cache_control !== undefined) count.hasCacheMark = true
  if (fieldsOf(part.cache_control).ttl === '1h') count.hasLongCacheMark = true
  if (typeof part.text === 'string') count.tokenCount += countTokens(part.text)
  else if (PICTURE_TYPES.has(part.type)) {
    count.imageCount += 1
    count.tokenCount += tokensOfPicture(JSON.stringify(part))
  } else if (part.type === 'input_audio') {
    const sound = Buffer.from(String(fieldsOf(part.input_audio).data ?? ''), 'base64')
    const seconds = secondsOfSound(sound, SOUND_BYTES_PER_SECOND)
    const heard = Math.ceil(seconds * TOKENS_PER_SECOND_OF_SOUND)
    count.soundTokenCount += heard
    count.tokenCount += heard
  } else if (part.type === 'file') {
    const data = String(fieldsOf(part.file).file_data ?? '').replace(/^data:[^,]*,/, '')
    count.tokenCount += Math.ceil((data.length * 3) / 4 / BYTES_PER_TOKEN_OF_FILE)
  } else count.tokenCount += countTokens(JSON.stringify(part))
}

function tokensOfPicture(part: string): number {
  if (part.includes(FILM_HOST)) return TOKENS_PER_FILM
  return part.includes(PAPER_HOST) ? TOKENS_PER_PAPER : TOKENS_PER_PICTURE
}

/** By the header of a plain WAV, wherever it is among the bytes; otherwise by their number. */
export function secondsOfSound(bytes: Buffer, bytesPerSecondElse: number): number {
  const start = bytes.indexOf('RIFF')
  const isPlain = start >= 0 && bytes.length >= start + 44 && bytes.readUInt16LE(start + 20) === 1
  return isPlain
    ? bytes.readUInt32LE(start + 40) / bytes.readUInt32LE(start + 28)
    : bytes.length / bytesPerSecondElse
}

/** The fields of any value; none if it is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Clients write the short fields before the recording, or not far after its start. */
const FORM_FIELDS_BYTES = 16_384

/** A field of a form, by the first of its names that is there; empty if none is. */
export function fieldOfForm(rawBody: Buffer, ...names: string[]): string {
  const text = rawBody.subarray(0, FORM_FIELDS_BYTES).toString('utf8')
  const field = new RegExp(`name="(?:${names.join('|')})"\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^\\r\\n]*)`)
  return field.exec(text)?.[1] ?? ''
}
