import { EVERYDAY_ANSWER_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import {
  searchTokenCount,
  TOKENS_PER_IMAGE,
  tokensPerDrawnPicture,
  tokensPerImage,
  tokensPerImageMax,
} from '@/lib/catalogue/domain/prompt-tokens'
import { PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX } from '@/lib/ledger/domain/limits'
import type { Message } from '@/lib/local/domain/conversation'
import {
  add,
  compare,
  type Decimal,
  decimalFromInteger,
  multiply,
  parseDecimal,
  ZERO,
} from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { countText, type MessageMeasure, measureMessage, sumBy } from './message-tokens'

/** Decimal dollars per unit, as `GET /v1/models` lists them. */
export interface PriceTexts extends UnitPriceTexts {
  readonly prompt: string
  readonly completion: string
  /** Prices of long prompts. */
  readonly overrides?: readonly LongPromptPrices[]
}

interface UnitPriceTexts {
  readonly prompt?: string
  readonly completion?: string
  readonly request?: string
  /** Per picture that is sent, or that a model draws which does nothing else. */
  readonly image?: string
  /** For cached input; absent if it is not listed. */
  readonly input_cache_read?: string
  /** For writing to the cache. */
  readonly input_cache_write?: string
  /** Per token of a picture within an answer; absent for models that only write text. */
  readonly image_output?: string
}

/** Replaces the usual prices for prompts longer than that. */
export interface LongPromptPrices extends UnitPriceTexts {
  readonly min_prompt_tokens: number
}

/** What has to be known of a model to estimate a message. */
export interface PricedModel {
  readonly id?: string
  /** The context window; null if its host does not say. */
  readonly windowTokens: number | null
  readonly prices: PriceTexts
  readonly takesPictures?: boolean
  /** It only draws: an answer is a picture, whatever it is asked with. */
  readonly draws?: boolean
}

/**
 * What sending `messages` and an answer of that length would cost, or a picture of the usual size; null if the model
 * has no usable price.
 */
export function estimateMessage(
  model: PricedModel,
  messages: readonly Message[],
  answerTokenCount = EVERYDAY_ANSWER_TOKEN_COUNT,
): Nano | null {
  if (model.draws) return estimatePicture(model)
  const measures = measuresFor(model, messages)
  const imageCount = sumBy(measures, one => one.imageCount)
  const ofImages = imageCount * (tokensPerImage(model.id ?? '') - TOKENS_PER_IMAGE)
  const sentTokenCount = sumBy(measures, one => one.tokenCount) + ofImages
  const inputTokenCount = Math.min(sentTokenCount, model.windowTokens ?? sentTokenCount)
  return priceOfAmounts(model.prices, { inputTokenCount, imageCount, answerTokenCount })
}

/** The tokens of a picture of the usual size. */
const OUTPUT_TOKENS_PER_IMAGE_USUAL = 4_200

export function estimatePicture({ prices }: PricedModel): Nano | null {
  return priceOfAmounts(prices, {
    inputTokenCount: 0,
    imageCount: 1,
    answerTokenCount: OUTPUT_TOKENS_PER_IMAGE_USUAL,
  })
}

/** A model that cannot see pictures is sent a few words in place of each. */
const TOKENS_PER_MISSING_PICTURE = 10
const BYTES_PER_MISSING_PICTURE = 30

function measuresFor({ takesPictures }: PricedModel, messages: readonly Message[]): MessageMeasure[] {
  const measures = messages.map(measureMessage)
  if (takesPictures !== false) return measures
  return measures.map(({ imageCount, ...one }) => ({
    ...one,
    imageCount: 0,
    tokenCount: one.tokenCount - imageCount * (TOKENS_PER_IMAGE - TOKENS_PER_MISSING_PICTURE),
    byteCountMax: one.byteCountMax + imageCount * BYTES_PER_MISSING_PICTURE,
  }))
}

/** What an answer to `messages` costs of which this much has been written. */
export function estimateWritten(
  model: PricedModel,
  messages: readonly Message[],
  written: string,
): Nano | null {
  return estimateMessage(model, messages, countText(written).tokenCount)
}

/** How much a model's count of ordinary text can exceed ours, which is quick, and made with another tokenizer. */
const PROMPT_MARGIN = 1.95
const TOKENS_PER_REQUEST = 80
/** The most that any model can count, as the server has it. */
const BYTES_PER_REQUEST = 256
const BYTES_PER_MESSAGE = 64
/**
 * How much a call may truly cost beyond its promise: four fifths of what the server lets an account risk in a day. If
 * it could be more, the true bound is promised instead, since less would be refused.
 */
const RISK_NANO_MAX = (PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX * 4n) / 5n

/**
 * The promised maximum for sending `messages` and an answer of that length. Null if the model has no usable price, or
 * only draws, and for whole files, whose length only the model knows.
 */
export function mostOfMessage(
  model: PricedModel,
  messages: readonly Message[],
  writtenTokenCount: number,
  promptMargin = PROMPT_MARGIN,
): Nano | null {
  if (model.draws) return null
  const measures = measuresFor(model, messages)
  if (measures.some(({ hasWholeFile }) => hasWholeFile)) return null
  const imageCount = sumBy(measures, one => one.imageCount)
  // The last picture may be drawn whole, beyond the limit of the answer.
  const mayDraw = model.prices.image_output !== undefined && writtenTokenCount > 0
  const answerTokenCount = writtenTokenCount + (mayDraw ? tokensPerDrawnPicture(model.id ?? '') : 0)
  const within = (count: number) =>
    Math.ceil(Math.min(count, model.windowTokens ?? count)) + searchTokenCount(model.id ?? '')
  const price = (inputTokenCount: number) =>
    priceOfAmounts(
      model.prices,
      { inputTokenCount: within(inputTokenCount), imageCount, answerTokenCount },
      true,
    )
  const estimated = price(estimatedTokenCount(model.id ?? '', measures, promptMargin))
  const possible = price(possibleTokenCount(model.id ?? '', measures))
  if (estimated === null || possible === null) return null
  return possible - estimated > RISK_NANO_MAX ? possible : estimated
}

function estimatedTokenCount(modelId: string, measures: readonly MessageMeasure[], margin: number): number {
  const ofImages = tokensPerImage(modelId) - TOKENS_PER_IMAGE
  return sumBy(
    measures,
    one => (one.tokenCount + one.imageCount * ofImages) * margin + one.scriptTokenCount,
    TOKENS_PER_REQUEST,
  )
}

function possibleTokenCount(modelId: string, measures: readonly MessageMeasure[]): number {
  const ofImages = tokensPerImageMax(modelId)
  return sumBy(
    measures,
    one => one.byteCountMax + one.imageCount * ofImages + BYTES_PER_MESSAGE,
    BYTES_PER_REQUEST,
  )
}

interface Amounts {
  readonly inputTokenCount: number
  readonly imageCount: number
  readonly answerTokenCount: number
}

/** @param isMost at the highest price that a token may be billed at */
export function priceOfAmounts(prices: PriceTexts, amounts: Amounts, isMost = false): Nano | null {
  const applying = [
    prices,
    ...(prices.overrides ?? []).filter(one => one.min_prompt_tokens < amounts.inputTokenCount),
  ]
  const dearestOf = (...names: (keyof UnitPriceTexts)[]): Decimal =>
    applying
      .flatMap(one => names.map(name => parseDecimal(one[name] ?? '') ?? ZERO))
      .reduce((dearest, price) => (compare(price, dearest) > 0 ? price : dearest), ZERO)
  // A price that is not understood is not zero.
  const needed = [prices.prompt, prices.completion, prices.request ?? '0', prices.image ?? '0']
  if (needed.some(text => parseDecimal(text) === null)) return null
  const charges: readonly (readonly [Decimal, number])[] = [
    [isMost ? dearestOf('prompt', 'input_cache_write') : dearestOf('prompt'), amounts.inputTokenCount],
    [isMost ? dearestOf('completion', 'image_output') : dearestOf('completion'), amounts.answerTokenCount],
    [dearestOf('image'), amounts.imageCount],
  ]
  const all = charges.map(([price, count]) => multiply(price, decimalFromInteger(count)))
  return ceilToNano(all.reduce(add, dearestOf('request')))
}
