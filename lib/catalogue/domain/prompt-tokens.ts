import { estimateTokens } from './estimate-tokens'
import type { PromptMeasure } from './measure-prompt'
import { alwaysSearches } from './model-kind'

/** Role, separators and names that a chat template adds around a message. */
const TOKENS_PER_MESSAGE_MAX = 16
/** What templates put before the first message: a date, a knowledge cut-off, the names of channels. */
const TOKENS_PER_REQUEST_MAX = 64
/** What Anthropic adds to explain tool calls to a model, and for some tools of its own. */
const TOKENS_FOR_TOOLS_MAX = 600
const TOKENS_PER_TOOL_MAX = 32
/** A picture at full size, for the models that divide it into the most tiles. */
const TOKENS_PER_IMAGE_MAX = 16_384
/** Assumed if neither the model nor the request limits the length of a prompt: a usual context. */
const CONTEXT_LENGTH_ASSUMED = 200_000

const MANY_TOKENS_PER_IMAGE: readonly { pattern: RegExp; tokenCount: number; tokenCountMax: number }[] = [
  /** Counts a picture as about 25,000 tokens, each at a fraction of the usual price, and a wide one as twice that. */
  { pattern: /gpt-4o-mini/i, tokenCount: 25_600, tokenCountMax: 50_000 },
  /**
   * By default these look at a picture in its full size: 14,364 tokens were counted for a photo of twelve megapixels,
   * 1.2 for each square of 32 pixels. The largest picture that is not scaled down has 6,000 pixels a side.
   */
  { pattern: /(^|[/_-])gpt-?([6-9]|1\d)(?!\d)/i, tokenCount: 2_500, tokenCountMax: 43_000 },
]

/** A picture of ordinary size in common vision models. */
export const TOKENS_PER_IMAGE = 800

/** About how many tokens a model counts for a picture. */
export function tokensPerImage(modelId: string): number {
  return MANY_TOKENS_PER_IMAGE.find(({ pattern }) => pattern.test(modelId))?.tokenCount ?? TOKENS_PER_IMAGE
}

/** The tokens of one picture within an answer: Google's models stay within 1,290, OpenAI's have reported 7,024. */
const TOKENS_PER_DRAWN_PICTURE = { pattern: /gemini/i, tokenCount: 1_290, otherTokenCount: 8_192 }

/** Some hosts draw a complete picture, however short the requested answer. */
export function tokensPerDrawnPicture(modelId: string): number {
  const { pattern, tokenCount, otherTokenCount } = TOKENS_PER_DRAWN_PICTURE
  return pattern.test(modelId) ? tokenCount : otherTokenCount
}

/** The most tokens that a model counts for one picture. */
export function tokensPerImageMax(modelId: string): number {
  const many = MANY_TOKENS_PER_IMAGE.find(({ pattern }) => pattern.test(modelId))
  return many?.tokenCountMax ?? TOKENS_PER_IMAGE_MAX
}

/** Five pages per search: the most that any model reads that does not say how many. */
const SEARCH_TOKEN_COUNT = 12_500

/** What a model that searches for every answer reads besides its prompt. */
export function searchTokenCount(modelId: string): number {
  return alwaysSearches(modelId) ? SEARCH_TOKEN_COUNT : 0
}

/**
 * An upper bound of the prompt's tokens, without sound. A token is at least one byte of the text as its tokenizer reads
 * it, so the bytes bound the tokens of any tokenizer; pictures count as a constant; a file of any size counts as a full
 * context. The upstream refuses whatever exceeds the context.
 */
export function promptTokenCountMax(
  measure: PromptMeasure,
  contextLength: number | null,
  imageTokenCountMax: number,
): number {
  const counted =
    TOKENS_PER_REQUEST_MAX +
    measure.byteCount +
    measure.messageCount * TOKENS_PER_MESSAGE_MAX +
    measure.imageCount * imageTokenCountMax +
    (measure.toolCount === 0 ? 0 : TOKENS_FOR_TOOLS_MAX + measure.toolCount * TOKENS_PER_TOOL_MAX)
  if (!measure.isUnbounded) return Math.min(counted, contextLength ?? counted)
  return contextLength ?? Math.max(counted, CONTEXT_LENGTH_ASSUMED)
}

/** Counts the tokens of texts; may take many turns of the event loop. */
export type TokenCounter = (texts: Iterable<string>) => Promise<number>

/** Role and separators that a chat template adds to each message. */
export const TOKENS_PER_MESSAGE = 4
/** Base64 characters per token of a file: a page of about 100 kB is about 3,000 tokens. */
const FILE_CHARACTERS_PER_TOKEN = 40
/** A short page, or a file of which only the address is known. */
const TOKENS_PER_FILE_MIN = 1_000
/** A second of compressed speech is about 4 kB, a third more in base64; most models count 10 to 32 tokens for it. */
const AUDIO_CHARACTERS_PER_TOKEN = 250
const TOKENS_PER_SOUND_MIN = 32

/**
 * About how many tokens the prompt has: an estimate, where `promptTokenCountMax` is a bound. Files and sound are
 * guessed by their size: as zero, they would be free whenever an upstream forgets to count them.
 */
export async function estimatePromptTokens(
  measure: PromptMeasure,
  countTokens: TokenCounter,
  imageTokenCount: number,
): Promise<number> {
  return Math.ceil((await countTokens(measure.texts())) + tokensBesideTexts(measure, imageTokenCount))
}

/** Counted immediately, which takes a millisecond or two; the rest of a longer text is extrapolated. */
const QUICK_LENGTH_MAX = 128 * 1024

/** The same, quickly, for the start of an answer. */
export function quickPromptTokens(measure: PromptMeasure, imageTokenCount: number): number {
  let length = 0
  let countedLength = 0
  let tokenCount = 0
  for (const text of measure.texts()) {
    const piece = text.slice(0, QUICK_LENGTH_MAX - countedLength)
    length += text.length
    countedLength += piece.length
    tokenCount += estimateTokens(piece)
  }
  const ofTexts = countedLength === 0 ? 0 : tokenCount * (length / countedLength)
  return Math.ceil(ofTexts + tokensBesideTexts(measure, imageTokenCount))
}

function tokensBesideTexts(measure: PromptMeasure, imageTokenCount: number): number {
  const ofFiles = measure.fileCharacterCount / FILE_CHARACTERS_PER_TOKEN
  const ofSound = measure.audioParts.map(({ base64Length }) =>
    Math.max(TOKENS_PER_SOUND_MIN, base64Length / AUDIO_CHARACTERS_PER_TOKEN),
  )
  return (
    measure.messageCount * TOKENS_PER_MESSAGE +
    measure.imageCount * imageTokenCount +
    Math.max(measure.fileCount * TOKENS_PER_FILE_MIN, ofFiles) +
    ofSound.reduce((sum, tokenCount) => sum + tokenCount, 0)
  )
}

/**
 * How far other tokenizers exceed ours. Measured with eight of them: at most 1.52 times its count for languages in
 * Latin script, 1.4 for JSON, 1.3 for code, 2 for columns of numbers. For other scripts `scriptTokenCount` is added.
 */
export const ESTIMATE_FACTOR = 1.5

/**
 * What an ordinary prompt does not exceed with any model: used for the hold on a small balance. Somebody who knows the
 * tokenizers can exceed it, up to the bound; that is the operator's risk.
 */
export function probablePromptTokenCountMax(
  measure: PromptMeasure,
  { estimate, bound }: { estimate: number; bound: number },
): number {
  const ofTools = measure.toolCount === 0 ? 0 : TOKENS_FOR_TOOLS_MAX
  const ofScripts = measure.scriptTokenCount
  const probable = estimate * ESTIMATE_FACTOR + ofScripts + TOKENS_PER_REQUEST_MAX + ofTools
  return Math.min(bound, Math.ceil(probable))
}
