import fc from 'fast-check'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'
import type { Model, PriceName, PriceOverride, Prices, TokenUsage } from './model'
import { FREE_PRICES } from './usable-prices'

/** Prices as upstreams list them, from zero to a tenth of a cent per token. */
export const price: fc.Arbitrary<Decimal> = fc
  .record({ coefficient: fc.bigInt({ min: 0n, max: 10n ** 9n }), scale: fc.integer({ min: 12, max: 16 }) })
  .map(({ coefficient, scale }) => ({ coefficient, scale }))

const unitPrices = {
  prompt: price,
  completion: price,
  request: price,
  image: price,
  inputImage: fc.option(price),
  outputImage: fc.option(price),
  inputAudio: fc.option(price),
  outputAudio: fc.option(price),
  inputAudioCacheRead: fc.option(price),
  inputCacheRead: fc.option(price),
  inputCacheWrite: fc.option(price),
  inputCacheWriteLong: fc.option(price),
  internalReasoning: fc.option(price),
  webSearch: fc.option(price),
  inputCharacter: fc.option(price),
  inputSecond: fc.option(price),
  recordingMin: fc.option(price),
}

const MINUTES_PER_DAY = 1_440
const tokenCount = fc.integer({ min: 0, max: 200_000 })

const override: fc.Arbitrary<PriceOverride> = fc.record({
  inputTokenCountAbove: fc.option(tokenCount),
  window: fc.option(
    fc.record({
      days: fc.option(fc.uniqueArray(fc.nat(6), { minLength: 1 }).map(days => days.sort())),
      startMinute: fc.nat(MINUTES_PER_DAY - 1),
      endMinute: fc.nat(MINUTES_PER_DAY),
    }),
  ),
  serviceTier: fc.constantFrom('flex', 'priority', undefined),
  prices: fc
    .record(
      { ...unitPrices, inputCacheRead: price, inputAudio: price, internalReasoning: price },
      { requiredKeys: [] },
    )
    .map(known => Object.fromEntries(Object.entries(known).filter(([, told]) => told !== null))),
})

/** Prices that depend neither on the length of the prompt nor on the time. */
export const steadyPrices: fc.Arbitrary<Prices> = fc.record({ ...unitPrices, overrides: fc.constant([]) })

export const prices: fc.Arbitrary<Prices> = fc.record({
  ...unitPrices,
  overrides: fc.oneof(fc.constant([]), fc.array(override, { maxLength: 4 })),
})

export const callTime: fc.Arbitrary<Date> = fc.date({
  min: new Date('2026-01-01'),
  max: new Date('2027-01-01'),
  noInvalidDate: true,
})

/** Counts as an upstream may report them; the parts need not match the whole. */
export const usage: fc.Arbitrary<TokenUsage> = fc.record({
  inputTokenCount: tokenCount,
  cachedInputTokenCount: tokenCount,
  cacheWriteInputTokenCount: tokenCount,
  longCacheWriteInputTokenCount: tokenCount,
  audioInputTokenCount: tokenCount,
  imageInputTokenCount: tokenCount,
  outputTokenCount: tokenCount,
  reasoningTokenCount: tokenCount,
  audioOutputTokenCount: tokenCount,
  imageOutputTokenCount: tokenCount,
  imageCount: fc.nat(10),
  webSearchCount: fc.nat(10),
})

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (!parsed) throw new Error(`${text} is no decimal`)
  return parsed
}

export function somePrices(
  texts: Partial<Record<PriceName, string>> = {},
  overrides: readonly PriceOverride[] = [],
): Prices {
  const told = Object.entries(texts).map(([name, text]) => [name, decimal(text)])
  return { ...FREE_PRICES, ...Object.fromEntries(told), overrides }
}

export function someModel(fields: Partial<Model> = {}): Model {
  const prices = fields.prices ?? somePrices({ prompt: '0.000001', completion: '0.000002' })
  const upstreamIds = fields.upstreamIds ?? ['upstream']
  const contextLength = fields.contextLength === undefined ? 8_000 : fields.contextLength
  return {
    id: 'vendor/model',
    name: 'Model',
    description: '',
    kind: 'chat',
    createdAtSeconds: 0,
    expiresAtSeconds: null,
    contextLength,
    contextLengthMax: contextLength,
    outputTokenCountMax: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: [],
    canReason: false,
    reasoning: null,
    prices,
    voices: null,
    upstreamIds,
    ...fields,
  }
}
