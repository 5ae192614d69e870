import type { Model } from '@/lib/catalogue/domain/model'
import { readByteCountMax, scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { upperBound } from '@/lib/catalogue/domain/upper-bound'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import type { Nano } from '@/lib/money/nano'
import { ANSWER_BYTES_MAX } from '../../domain/exchange-limits'
import { type EmbeddingRequest, inputsOf } from './contract'

/** What a request for embeddings can cost. */
export interface EmbeddingPlan {
  model: Model
  inputCount: number
  texts: readonly string[]
  /** Of inputs that came as numbers. */
  tokenIdCount: number
  characterCount: number
  inputTokenCountMax: number
  boundNano: Nano
  isFree: boolean
  /** What its answer takes of memory while it is made; 0 where that is nothing to speak of. */
  answerBytes: number
}

/** Signs for the begin and the end of a text, and the words that some models are told before it. */
const TOKENS_PER_INPUT_MAX = 32
/** Whose numbers these are: nobody makes anything else of them. */
const NUMBERED_BY_ITS_MAKER = /(^|\/)text-embedding-/i
/** Any other host may write a number out and count its letters anew: the longest token of OpenAI's has so many. */
const BYTES_PER_TOKEN_ID_MAX = 128
/** How far other tokenizers go beyond the one that we count with; see prompt-tokens.ts. */
const ESTIMATE_FACTOR = 1.5

/** Of the usual models. */
const DIMENSION_COUNT_USUAL = 3_072
/** A number as JSON writes it with all its digits, and in base64. */
const BYTES_PER_NUMBER = { float: 22, base64: 6 }
/** As it came, as text, read, written anew: all at once. */
const COPY_COUNT = 4
/** One of some texts is smaller. */
const LARGE_ANSWER_BYTES_MIN = 8 * 1024 * 1024

function answerBytesOf(
  { dimensions, encoding_format: format }: EmbeddingRequest,
  inputCount: number,
): number {
  const numberCount = inputCount * (dimensions ?? DIMENSION_COUNT_USUAL)
  const byteCount = COPY_COUNT * Math.min(ANSWER_BYTES_MAX, numberCount * BYTES_PER_NUMBER[format ?? 'float'])
  return byteCount < LARGE_ANSWER_BYTES_MIN ? 0 : byteCount
}

/** A token is at least one byte of what its tokenizer reads, whichever that is. Nothing is written. */
export function planEmbeddings(request: EmbeddingRequest, model: Model): EmbeddingPlan {
  const inputs = inputsOf(request)
  const texts = inputs.filter(input => typeof input === 'string')
  const tokenIdCount = inputs.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.length), 0)
  const inputTokenCountMax =
    inputs.length * TOKENS_PER_INPUT_MAX +
    texts.reduce((sum, text) => sum + readByteCountMax(text), 0) +
    tokenIdCount * (NUMBERED_BY_ITS_MAKER.test(model.id) ? 1 : BYTES_PER_TOKEN_ID_MAX)
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

/** For balances that the bound is too much for. @param ownCount by our tokenizer */
export function probableNano(plan: EmbeddingPlan, ownCount: number): Nano {
  const ofScripts = plan.texts.reduce((sum, text) => sum + scriptTokenCount(text), 0)
  const probable = ownCount * ESTIMATE_FACTOR + ofScripts + plan.inputCount * TOKENS_PER_INPUT_MAX
  return boundOf(plan.model, Math.min(plan.inputTokenCountMax, Math.ceil(probable)))
}

function boundOf({ prices }: Model, promptTokenCountMax: number): Nano {
  return upperBound({ prices, promptTokenCountMax, outputTokenCountMax: 0, mayCacheLong: false })
}
