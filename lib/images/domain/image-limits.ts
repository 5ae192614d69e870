/** As many as OpenAI and OpenRouter draw for one request. */
export const IMAGE_COUNT_MAX = 10
/** OpenAI's bound on a prompt, in characters. */
export const PROMPT_LENGTH_MAX = 32_000
/** Room for the reference pictures that some models take along with the prompt, as data URLs. */
export const REQUEST_BYTES_MAX = 32 * 1024 * 1024
/** A 4K picture without loss is some 20 MB; anything larger is no picture that a page can show. */
export const IMAGE_BYTES_MAX = 20 * 1024 * 1024
/**
 * All pictures of one answer together, as base64 in JSON: ten of the usual 2 MB fit well, and parsing so
 * much holds other requests up for less than a tenth of a second.
 */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Signed addresses of storage hosts are long; beyond this they are no addresses. */
export const ADDRESS_LENGTH_MAX = 8_192
/**
 * More than any model counts for one picture: OpenAI's dearest square is 4,160 tokens and its largest
 * 6,240, OpenRouter counts 4,175 for models priced by the picture, and a 4K picture comes to 16,384.
 */
export const OUTPUT_TOKENS_PER_IMAGE_MAX = 16_384
/** What a picture of the usual measures comes to. */
export const OUTPUT_TOKENS_PER_IMAGE_USUAL = 4_200

/** Every wait of a drawing, with its reason. Tests shorten them; nothing else changes them. */
export interface ImageTimes {
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /** The slowest models draw for two or three minutes, and send nothing before they have finished. */
  firstByteTimeoutMs: number
  /** Megabytes over a slow line, once they come. */
  bodyTimeoutMs: number
  /** How long a stop waits to be able to say what became of the picture. */
  stopWaitMs: number
}

export const IMAGE_TIMES: ImageTimes = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 280_000,
  bodyTimeoutMs: 120_000,
  stopWaitMs: 3_000,
}
