/** Role, separators and names that chat templates add around a message. */
const TOKENS_PER_MESSAGE_MAX = 16
/** What the dearest common vision model counts for one picture at full detail, rounded up. */
const TOKENS_PER_IMAGE_MAX = 6_000
/** Taken where neither the model nor the request says how long a prompt can be: a usual context. */
const CONTEXT_LENGTH_ASSUMED = 200_000

/** Where a picture stands in its part; what else a part holds is counted as text. */
const IMAGE_FIELDS: Readonly<Record<string, string>> = {
  image_url: 'image_url',
  input_image: 'image_url',
  image: 'source',
}
/**
 * Parts whose length nobody knows before the model has read them: files behind an address or an id, and
 * files in the request itself, where a hundred kilobytes of a PDF can unfold to millions of words.
 */
const FILE_PART_TYPES = new Set([
  'file',
  'input_file',
  'document',
  'document_url',
  'video_url',
  'input_video',
])
/** A data address that calls itself a picture and is none: some upstreams take PDFs in this place. */
const DATA_OTHER_THAN_PICTURE = /^\s*data:(?!image\/)/i

export interface PromptBound {
  /** No tokenizer makes more tokens of the request than this. */
  tokenCountMax: number
  imageCount: number
}

/**
 * Bounds the prompt of a chat request from above. A token is at least one byte of UTF-8, so bytes bound
 * tokens whatever the tokenizer; pictures count by a constant; a file, of whatever size, counts as a full
 * context. The upstream refuses what is longer than the context.
 *
 * @param body the parsed request, already bounded in size
 */
export function boundPrompt(body: unknown, contextLength: number | null): PromptBound {
  let byteCount = 0
  let imageCount = 0
  let unbounded = false
  // A stack of our own: a hostile body can be nested deeper than the call stack.
  const pending: unknown[] = [body]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') byteCount += utf8ByteCount(value)
    else if (Array.isArray(value)) for (const item of value) pending.push(item)
    else if (typeof value === 'object' && value !== null) {
      const imageField = imageFieldOf(value)
      if (imageField) imageCount += 1
      if (isFile(value) || (imageField && isOtherData(value, imageField))) unbounded = true
      if ('role' in value) byteCount += TOKENS_PER_MESSAGE_MAX
      for (const [key, item] of Object.entries(value)) {
        byteCount += utf8ByteCount(key)
        if (key !== imageField) pending.push(item)
      }
    } else byteCount += String(value).length
  }
  const counted = byteCount + imageCount * TOKENS_PER_IMAGE_MAX
  const longest = contextLength ?? (unbounded ? Math.max(counted, CONTEXT_LENGTH_ASSUMED) : counted)
  return { tokenCountMax: unbounded ? longest : Math.min(counted, longest), imageCount }
}

/** A message that calls itself a picture is still a message. */
function imageFieldOf(value: object): string | undefined {
  const type = typeOf(value)
  return type !== undefined && !('role' in value) && Object.hasOwn(IMAGE_FIELDS, type)
    ? IMAGE_FIELDS[type]
    : undefined
}

function isFile(value: object): boolean {
  const type = typeOf(value)
  return type !== undefined && FILE_PART_TYPES.has(type)
}

function isOtherData(part: object, imageField: string): boolean {
  const source: unknown = Object.entries(part).find(([key]) => key === imageField)?.[1]
  const addresses = typeof source === 'object' && source !== null ? Object.values(source) : [source]
  return addresses.some(address => typeof address === 'string' && DATA_OTHER_THAN_PICTURE.test(address))
}

function typeOf(value: object): string | undefined {
  return 'type' in value && typeof value.type === 'string' ? value.type : undefined
}

export function utf8ByteCount(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1
    // A pair of surrogates is four bytes, and was counted as two units of three.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) bytes -= 2
  }
  return bytes
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
