import { add, type Decimal, isNegative, isZero, multiply, subtract } from '@/lib/money/decimal'
import { ceilToNano, type Nano, nanoToDecimal } from '@/lib/money/nano'
import { totalOf } from './cost'
import { decimalFromCount, wholeCount } from './count'
import type { PriceName, Prices, UnitPrices } from './model'
import { dearer, priceOf } from './price-fields'
import { dearestPrices } from './price-overrides'

export interface RequestBound {
  prices: Prices
  /** From `promptTokenCountMax`: all input but sound. */
  promptTokenCountMax: number
  /** Tokens of sound that is sent, not part of the prompt's. */
  audioInputTokenCountMax?: number
  /** The prompt itself may contain sound, too, in films. */
  hasHiddenSound?: boolean
  /** The prompt itself may contain pictures, too: the pages of files. */
  hasHiddenPictures?: boolean
  /** Pictures that are sent in a chat, or requested of an image model. */
  imageCount?: number
  webSearchCountMax?: number
  /** For all choices together. */
  outputTokenCountMax: number
  /** What the answer can consist of, besides text and reasoning; undefined for anything. */
  outputModalities?: readonly string[]
  /** False if the request asks for no cache that lasts longer than usual. */
  mayCacheLong?: boolean
  /** The requested tier; the host may serve, and bill, the usual one instead. */
  serviceTier?: string | null
}

/** The most that a request can cost at these prices: this is held before the upstream is called. */
export function upperBound(request: RequestBound): Nano {
  const { inputUsd, outputPriceUsd } = boundParts(request)
  return ceilToNano(add(inputUsd, multiply(outputPriceUsd, decimalFromCount(request.outputTokenCountMax))))
}

type InputBound = Omit<RequestBound, 'outputTokenCountMax'>

/** Means "unlimited": output that is free, or so cheap that no request can use it up. */
export const OUTPUT_TOKEN_COUNT_UNLIMITED = 1_000_000_000

/**
 * How long an answer the available credit buys after the prompt is paid: the largest count whose `upperBound` does not
 * exceed it. 0 if it does not even buy the prompt.
 */
export function affordableOutputTokens(request: InputBound & { availableNano: Nano }): number {
  const { inputUsd, outputPriceUsd } = boundParts(request)
  const leftUsd = subtract(nanoToDecimal(request.availableNano), inputUsd)
  if (isNegative(leftUsd)) return 0
  if (isZero(outputPriceUsd)) return OUTPUT_TOKEN_COUNT_UNLIMITED
  const count = divideDown(leftUsd, outputPriceUsd)
  return count < BigInt(OUTPUT_TOKEN_COUNT_UNLIMITED) ? Number(count) : OUTPUT_TOKEN_COUNT_UNLIMITED
}

/** Integer division of positive numbers. */
function divideDown(dividend: Decimal, divisor: Decimal): bigint {
  const numerator = dividend.coefficient * 10n ** BigInt(divisor.scale)
  return numerator / (divisor.coefficient * 10n ** BigInt(dividend.scale))
}

/**
 * The part of a bound that does not depend on the length of the answer, and what each of its tokens adds, for any
 * length of the prompt and any time.
 */
function boundParts(request: InputBound): { inputUsd: Decimal; outputPriceUsd: Decimal } {
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
  const withoutSound: PriceName[] = ['prompt', 'inputCacheRead', 'inputCacheWrite']
  if (mayCacheLong) withoutSound.push('inputCacheWriteLong')
  if (imageCount > 0 || request.hasHiddenPictures) withoutSound.push('inputImage')
  const withSound: PriceName[] = [...withoutSound, 'inputAudio', 'inputAudioCacheRead']
  // With sound in the prompt, all cached input may cost as much as cached sound.
  const withCachedSound =
    audioInputTokenCountMax > 0 ? [...withoutSound, 'inputAudioCacheRead' as const] : withoutSound
  const promptPrice = dearestOf(known, request.hasHiddenSound ? withSound : withCachedSound)
  const amounts: [Decimal, number][] = [
    [promptPrice, request.promptTokenCountMax],
    [dearestOf(known, withSound), audioInputTokenCountMax],
    [known.request, 1],
    [known.image, imageCount],
    [priceOf(known, 'webSearch'), webSearchCountMax],
  ]
  return totalOf(amounts)
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
