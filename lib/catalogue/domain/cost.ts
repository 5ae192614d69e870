import { add, compare, type Decimal, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { decimalFromCount, wholeCount } from './count'
import type { PriceName, Prices, TokenUsage } from './model'
import { PRICE_NAMES, priceOf } from './price-fields'
import { dearestPrices } from './price-overrides'

/** A usage with all counts zero. */
export const NO_USAGE: TokenUsage = {
  inputTokenCount: 0,
  cachedInputTokenCount: 0,
  cacheWriteInputTokenCount: 0,
  longCacheWriteInputTokenCount: 0,
  audioInputTokenCount: 0,
  imageInputTokenCount: 0,
  outputTokenCount: 0,
  reasoningTokenCount: 0,
  audioOutputTokenCount: 0,
  imageOutputTokenCount: 0,
  imageCount: 0,
  webSearchCount: 0,
}

/**
 * What an exchange costs: each kind of token at its own price if it has one, pictures and searches per piece, the fee
 * per request once. Exact until it is rounded up, once, at the end.
 *
 * @param at for prices that depend on the time; without it the highest one counts
 * @param serviceTier the tier that the host reports; by default the usual one
 */
export function cost({
  prices,
  usage,
  at,
  serviceTier,
}: {
  prices: Prices
  usage: TokenUsage
  at?: Date
  serviceTier?: string | null
}): Nano {
  const input = inputParts(usage)
  const output = outputParts(usage)
  const inputTokenCount = wholeCount(usage.inputTokenCount)
  const known = dearestPrices(prices, {
    inputTokenCountMin: inputTokenCount,
    inputTokenCountMax: inputTokenCount,
    at,
    serviceTier: serviceTier ? { name: serviceTier, isCertain: true } : undefined,
  })
  // No host reports how much of the sound came from the cache, so that the dearer of the two prices counts.
  const isSoundDearer =
    compare(priceOf(known, 'inputAudioCacheRead'), priceOf(known, 'inputCacheRead')) > 0 && input.audio > 0
  const counts: Readonly<Record<PriceName, number>> = {
    prompt: input.plain,
    completion: output.plain,
    request: 1,
    image: wholeCount(usage.imageCount),
    inputImage: input.image,
    outputImage: output.image,
    inputAudio: input.audio,
    outputAudio: output.audio,
    inputAudioCacheRead: isSoundDearer ? input.cached : 0,
    inputCacheRead: isSoundDearer ? 0 : input.cached,
    inputCacheWrite: input.cacheWrite,
    inputCacheWriteLong: input.longCacheWrite,
    internalReasoning: output.reasoning,
    webSearch: wholeCount(usage.webSearchCount),
    // Of what is read aloud or transcribed, which lib/speech charges.
    inputCharacter: 0,
    inputSecond: 0,
    recordingMin: 0,
  }
  return ceilToNano(totalOf(PRICE_NAMES.map(name => [priceOf(known, name), counts[name]])))
}

/** The sum of all counts at their prices. */
export function totalOf(charges: readonly [price: Decimal, count: number][]): Decimal {
  const counted = charges.filter(([, count]) => count > 0)
  return counted.map(([price, count]) => multiply(price, decimalFromCount(count))).reduce(add, ZERO)
}

/** The input by kind; together never more than the total. */
function inputParts(usage: TokenUsage) {
  const input = divide(usage.inputTokenCount)
  const cached = input.take(usage.cachedInputTokenCount)
  const written = input.take(usage.cacheWriteInputTokenCount)
  const longCacheWrite = Math.min(wholeCount(usage.longCacheWriteInputTokenCount), written)
  const image = input.take(usage.imageInputTokenCount)
  const audio = input.take(usage.audioInputTokenCount)
  return { plain: input.left, cached, cacheWrite: written - longCacheWrite, longCacheWrite, image, audio }
}

/** The output by kind; likewise. */
function outputParts(usage: TokenUsage) {
  const output = divide(usage.outputTokenCount)
  const image = output.take(usage.imageOutputTokenCount)
  const audio = output.take(usage.audioOutputTokenCount)
  const reasoning = output.take(usage.reasoningTokenCount)
  return { plain: output.left, image, audio, reasoning }
}

function divide(total: number) {
  return {
    left: wholeCount(total),
    take(count: number): number {
      const taken = Math.min(wholeCount(count), this.left)
      this.left -= taken
      return taken
    },
  }
}
