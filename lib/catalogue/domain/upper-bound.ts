import { add, type Decimal, multiply } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { totalOf } from './cost'
import { decimalFromCount, wholeCount } from './count'
import type { PriceName, Prices, UnitPrices } from './model'
import { dearer, priceOf } from './price-fields'
import { dearestPrices } from './price-overrides'

export interface RequestBound {
  prices: Prices
  /** From `promptTokenCountMax`: all that is read but sound. */
  promptTokenCountMax: number
  /** Tokens of sound that is sent along, beside the prompt. */
  audioInputTokenCountMax?: number
  /** There may be sound among the prompt, too, in films. */
  hasHiddenSound?: boolean
  /** Pictures sent with a chat request, or asked of an image model. */
  imageCount?: number
  webSearchCountMax?: number
  /** Over all choices together. */
  outputTokenCountMax: number
  /** What the answer can consist of; undefined is anything. Text and reasoning always may. */
  outputModalities?: readonly string[]
  /** False where the request asks for no cache that lasts longer than usual. */
  mayCacheLong?: boolean
  /** Asked for; the host may serve the usual one instead, and then bills that. */
  serviceTier?: string | null
}

/** The most that a request can cost at these prices: what is held before the upstream is called. */
export function upperBound(request: RequestBound): Nano {
  const { inputUsd, outputPriceUsd } = boundParts(request)
  return ceilToNano(add(inputUsd, multiply(outputPriceUsd, decimalFromCount(request.outputTokenCountMax))))
}

export type InputBound = Omit<RequestBound, 'outputTokenCountMax'>

/**
 * The part of a bound that does not depend on how long the answer is, and what each of its tokens adds; over
 * whatever the prompt's length and the time may turn out to be.
 */
export function boundParts(request: InputBound): { inputUsd: Decimal; outputPriceUsd: Decimal } {
  const inputTokenCountMax =
    wholeCount(request.promptTokenCountMax) + wholeCount(request.audioInputTokenCountMax ?? 0)
  const { serviceTier } = request
  const known = dearestPrices(request.prices, {
    inputTokenCountMin: 0,
    inputTokenCountMax,
    serviceTier: serviceTier ? { name: serviceTier, isCertain: false } : undefined,
  })
  return { inputUsd: inputBoundUsd(known, request), outputPriceUsd: outputPriceMax(known, request) }
}

function inputBoundUsd(known: UnitPrices, request: InputBound): Decimal {
  const { imageCount = 0, audioInputTokenCountMax = 0, webSearchCountMax = 0, mayCacheLong = true } = request
  const read: PriceName[] = ['prompt', 'inputCacheRead', 'inputCacheWrite']
  if (mayCacheLong) read.push('inputCacheWriteLong')
  if (imageCount > 0) read.push('inputImage')
  const heard: PriceName[] = [...read, 'inputAudio', 'inputAudioCacheRead']
  // Sound among the prompt makes all that comes from the cache as dear as cached sound.
  const seen = audioInputTokenCountMax > 0 ? [...read, 'inputAudioCacheRead' as const] : read
  const promptPrice = dearestOf(known, request.hasHiddenSound ? heard : seen)
  const amounts: [Decimal, number][] = [
    [promptPrice, request.promptTokenCountMax],
    [dearestOf(known, heard), audioInputTokenCountMax],
    [known.image, imageCount],
    [priceOf(known, 'webSearch'), webSearchCountMax],
  ]
  return totalOf(amounts, known.request)
}

function outputPriceMax(known: UnitPrices, { outputModalities }: Pick<RequestBound, 'outputModalities'>) {
  const may = (modality: string) => outputModalities === undefined || outputModalities.includes(modality)
  const written: PriceName[] = ['completion', 'internalReasoning']
  if (may('audio')) written.push('outputAudio')
  if (may('image')) written.push('outputImage')
  return dearestOf(known, written)
}

function dearestOf(known: UnitPrices, names: readonly PriceName[]): Decimal {
  return names.map(name => priceOf(known, name)).reduce(dearer)
}
