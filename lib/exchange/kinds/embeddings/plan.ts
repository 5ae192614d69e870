import type { Model } from '@/lib/catalogue/domain/model'
import { ESTIMATE_FACTOR } from '@/lib/catalogue/domain/prompt-tokens'
import { readByteCountMax, scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { upperBound } from '@/lib/catalogue/domain/upper-bound'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { invalidField } from '@/lib/http/api-error'
import type { Nano } from '@/lib/money/nano'
import { ANSWER_BYTES_MAX } from '../../domain/exchange-limits'
import { type EmbeddingRequest, inputsOf } from './contract'

/** What a request for embeddings can cost. */
export interface EmbeddingPlan {
  model: Model
  inputCount: number
  texts: readonly string[]
  /** Of inputs that are token ids. */
  tokenIdCount: number
  characterCount: number
  inputTokenCountMax: number
  boundNano: Nano
  isFree: boolean
  /** The memory that its answer takes while it is made; 0 if that is negligible. */
  answerBytes: number
}

/** Tokens that mark the beginning and the end of a text, and the prefix that some models add. */
const ADDED_TOKENS_PER_INPUT_MAX = 32
/** OpenAI's models, whose hosts take token ids as they are. */
const OPENAI_EMBEDDING_MODEL = /(^|\/)text-embedding-/i
/** Any other host may decode a token id and count its bytes again: OpenAI's longest token has this many. */
const BYTES_PER_TOKEN_ID_MAX = 128

/** Of the usual models. */
const DIMENSION_COUNT_USUAL = 3_072
/** Bytes of a number in JSON with all its digits, and in base64. */
const BYTES_PER_NUMBER = { float: 22, base64: 6 }
/** How many copies are in memory at once: the bytes, the text, the parsed value and the new bytes. */
const COPY_COUNT = 4
/** Smaller answers are not counted. */
const LARGE_ANSWER_BYTES_MIN = 8 * 1024 * 1024

function answerBytesOf(
  { dimensions, encoding_format: format }: EmbeddingRequest,
  inputCount: number,
): number {
  const numberCount = inputCount * (dimensions ?? DIMENSION_COUNT_USUAL)
  const byteCount = COPY_COUNT * Math.min(ANSWER_BYTES_MAX, numberCount * BYTES_PER_NUMBER[format ?? 'float'])
  return byteCount < LARGE_ANSWER_BYTES_MIN ? 0 : byteCount
}

/** Models that read more than texts. */
const READS_MORE = new RegExp(
  [
    'multimodal|(^|[/_-])clip|gemini-embedding-[2-9]|titan-embed-image|nova.*embed',
    'embed-(v-?4|english|multilingual)|embeddings-v[4-9]',
  ].join('|'),
  'i',
)
/** Where a host looks for a film, a picture or sound: an address, data, or the name of a file. */
const IN_PLACE_OF_TEXT = /(gs|s3):\/\/|^\s*(data:\S|https?:\/\/|files\/)/i

/**
 * Some hosts take a text that is an address for what is there: two hours of film in a few bytes. A router takes each
 * text for what it is. `VertexAIMultimodalEmbeddingConfig` of https://github.com/BerriAI/litellm;
 * https://docs.litellm.ai/blog/gemini_embedding_2_multimodal
 * @throws ApiError invalid_request
 */
export function requireTexts(request: EmbeddingRequest, { id, inputModalities }: Model): void {
  const readsMore = READS_MORE.test(id) || inputModalities.some(modality => modality !== 'text')
  if (!readsMore || !inputsOf(request).some(each => typeof each === 'string' && IN_PLACE_OF_TEXT.test(each)))
    return
  const problem =
    'this model would read what is at an address, or in data, which has no price here. Send texts'
  throw invalidField('input', problem)
}

/** In any tokenizer a token is at least one byte. There is no output. */
export function planEmbeddings(request: EmbeddingRequest, model: Model): EmbeddingPlan {
  const inputs = inputsOf(request)
  const texts = inputs.filter(input => typeof input === 'string')
  const tokenIdCount = inputs.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.length), 0)
  const inputTokenCountMax =
    inputs.length * ADDED_TOKENS_PER_INPUT_MAX +
    texts.reduce((sum, text) => sum + readByteCountMax(text), 0) +
    tokenIdCount * (OPENAI_EMBEDDING_MODEL.test(model.id) ? 1 : BYTES_PER_TOKEN_ID_MAX)
  return {
    model,
    inputCount: inputs.length,
    texts,
    tokenIdCount,
    characterCount: texts.reduce((sum, { length }) => sum + length, 0),
    inputTokenCountMax,
    boundNano: boundOf(model, inputTokenCountMax),
    isFree: costsNothing(model.prices),
    answerBytes: answerBytesOf(request, inputs.length),
  }
}

/** For balances below the bound. @param ownCount by our tokenizer */
export function probableNano(plan: EmbeddingPlan, ownCount: number): Nano {
  const ofScripts = plan.texts.reduce((sum, text) => sum + scriptTokenCount(text), 0)
  const probable = ownCount * ESTIMATE_FACTOR + ofScripts + plan.inputCount * ADDED_TOKENS_PER_INPUT_MAX
  return boundOf(plan.model, Math.min(plan.inputTokenCountMax, Math.ceil(probable)))
}

function boundOf({ prices }: Model, promptTokenCountMax: number): Nano {
  return upperBound({ prices, promptTokenCountMax, outputTokenCountMax: 0, mayCacheLong: false })
}
