import { estimateTokens } from './estimate-tokens'
import type { PromptMeasure } from './measure-prompt'
import { searchesUnasked } from './model-kind'

/** Role, separators and names that chat templates add around a message. */
const TOKENS_PER_MESSAGE_MAX = 16
/** What templates put before the first message: a date, a cut-off, the names of channels. */
const TOKENS_PER_REQUEST_MAX = 64
/** What Anthropic adds to tell a model how to call tools, and for some tools of its own. */
const TOKENS_FOR_TOOLS_MAX = 600
const TOKENS_PER_TOOL_MAX = 32
/** A picture at full size, as those models count it that divide it into the most pieces. */
const TOKENS_PER_IMAGE_MAX = 16_384
/** Taken where neither the model nor the request says how long a prompt can be: a usual context. */
const CONTEXT_LENGTH_ASSUMED = 200_000

const MANY_TOKENS_PER_IMAGE: readonly { pattern: RegExp; tokenCount: number; tokenCountMax: number }[] = [
  /** Counts a picture as some twenty-five thousand tokens at a fraction of the price, and a wide one as twice that. */
  { pattern: /gpt-4o-mini/i, tokenCount: 25_600, tokenCountMax: 50_000 },
  /**
   * Look at a picture as large as it is where nobody says otherwise: 14,364 tokens were counted for a photo of twelve
   * megapixels, 1.2 for each 32 pixels squared. The largest that is not made smaller has 6,000 a side.
   */
  { pattern: /(^|[/_-])gpt-?([6-9]|1\d)(?!\d)/i, tokenCount: 2_500, tokenCountMax: 43_000 },
]

/** A picture of ordinary size in the common vision models. */
const TOKENS_PER_IMAGE = 800

/** About how many tokens a model makes of a picture. */
export function tokensPerImage(modelId: string): number {
  return MANY_TOKENS_PER_IMAGE.find(({ pattern }) => pattern.test(modelId))?.tokenCount ?? TOKENS_PER_IMAGE
}

/** What one picture among the words of an answer comes to: Google's models draw within 1,290, OpenAI's have told 7,024. */
const TOKENS_PER_DRAWN_PICTURE = { pattern: /gemini/i, tokenCount: 1_290, otherTokenCount: 8_192 }

/** Some hosts draw a picture whole, however little of an answer was asked for. */
export function tokensPerDrawnPicture(modelId: string): number {
  const { pattern, tokenCount, otherTokenCount } = TOKENS_PER_DRAWN_PICTURE
  return pattern.test(modelId) ? tokenCount : otherTokenCount
}

/** The most tokens that a model makes of one picture. */
export function tokensPerImageMax(modelId: string): number {
  const many = MANY_TOKENS_PER_IMAGE.find(({ pattern }) => pattern.test(modelId))
  return many?.tokenCountMax ?? TOKENS_PER_IMAGE_MAX
}

/** Five pages of a search: as many as any brings that does not say. */
const UNASKED_SEARCH_TOKEN_COUNT = 12_500

/** What a model reads beside its prompt that searches for every answer. */
export function tokensReadUnasked(modelId: string): number {
  return searchesUnasked(modelId) ? UNASKED_SEARCH_TOKEN_COUNT : 0
}

/**
 * Bounds the prompt from above, sound apart. A token is at least one byte of the text as its tokenizer reads it, so
 * those bytes bound tokens whatever the tokenizer; pictures count by a constant; a file, of whatever size, counts
 * as a full context. The upstream refuses what is longer than the context.
 */
export function promptTokenCountMax(
  measure: PromptMeasure,
  contextLength: number | null,
  imageTokenCountMax = TOKENS_PER_IMAGE_MAX,
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

/**
 * Bounds the tokens of sound. Nothing about a recording tells how long it is but decoding it: hours of
 * silence fit into a few kilobytes. So it is a full context, unless somebody has read its container.
 */
export function audioTokenCountMax({ audioParts }: PromptMeasure, contextLength: number | null): number {
  return audioParts.length === 0 ? 0 : (contextLength ?? CONTEXT_LENGTH_ASSUMED)
}

/** Counts the tokens of texts; it may take many turns of the event loop. */
export type TokenCounter = (texts: Iterable<string>) => Promise<number>

/** Role and separators that chat templates add to each message. */
export const TOKENS_PER_MESSAGE = 4
/** Characters of base64 for each token of a file: a page of some 100 kB is about 3,000 tokens. */
const FILE_CHARACTERS_PER_TOKEN = 40
/** A short page, and a file of which only an address is known. */
const TOKENS_PER_FILE_MIN = 1_000
/** A second of compressed speech is some 4 kB, in base64 a third more; most models hear 10 to 32 tokens in it. */
const AUDIO_CHARACTERS_PER_TOKEN = 250
const TOKENS_PER_SOUND_MIN = 32

/**
 * About how many tokens the prompt has: an estimate, where `promptTokenCountMax` is a bound. Files and sound
 * are guessed by their size: counted as nothing, they would be a present whenever an upstream forgets to
 * count.
 */
export async function estimatePromptTokens(
  measure: PromptMeasure,
  countTokens: TokenCounter,
  imageTokenCount = TOKENS_PER_IMAGE,
): Promise<number> {
  return Math.ceil((await countTokens(measure.texts())) + tokensBesideTexts(measure, imageTokenCount))
}

/** Counted on the spot, which takes a millisecond or two; of what is longer, the rest is reckoned to be like it. */
const QUICK_LENGTH_MAX = 128 * 1024

/** The same, quickly, for what an answer begins with. */
export function quickPromptTokens(measure: PromptMeasure, imageTokenCount = TOKENS_PER_IMAGE): number {
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
 * How far other tokenizers go beyond the one that we count with. Measured beside eight of them: at most 1.52
 * times its count for languages in Latin script, 1.4 for JSON, 1.3 for code, 2 for columns of numbers. For
 * other scripts `scriptTokenCount` comes on top.
 */
const ESTIMATE_MARGIN = { factor: 1.5, tokensPerRequest: 64 }

/**
 * What an ordinary prompt does not exceed, whichever model reads it: a hold for a small balance. Somebody who
 * knows the tokenizers can exceed it, up to the bound, and that is the operator's risk.
 */
export function probablePromptTokenCountMax(
  measure: PromptMeasure,
  { estimate, bound }: { estimate: number; bound: number },
): number {
  const { factor, tokensPerRequest } = ESTIMATE_MARGIN
  const ofTools = measure.toolCount === 0 ? 0 : TOKENS_FOR_TOOLS_MAX
  const probable = estimate * factor + measure.scriptTokenCount + tokensPerRequest + ofTools
  return Math.min(bound, Math.ceil(probable))
}
