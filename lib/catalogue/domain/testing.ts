import fc from 'fast-check'
import { type Decimal, parseDecimal, ZERO } from '@/lib/money/decimal'
import type { Model, Prices, TokenUsage } from './model'

/** Prices as upstreams really write them, from zero to a tenth of a cent per token. */
export const price: fc.Arbitrary<Decimal> = fc
  .record({ coefficient: fc.bigInt({ min: 0n, max: 10n ** 9n }), scale: fc.integer({ min: 12, max: 16 }) })
  .map(({ coefficient, scale }) => ({ coefficient, scale }))

export const prices: fc.Arbitrary<Prices> = fc.record({
  prompt: price,
  completion: price,
  request: price,
  image: price,
  inputCacheRead: fc.option(price),
  inputCacheWrite: fc.option(price),
  internalReasoning: fc.option(price),
  inputCharacter: fc.option(price),
  inputSecond: fc.option(price),
})

const tokenCount = fc.integer({ min: 0, max: 200_000 })

/** Counts that agree with each other: no more cached than input, no more reasoning than output. */
export const usage: fc.Arbitrary<TokenUsage> = fc
  .record({
    input: tokenCount,
    cached: tokenCount,
    output: tokenCount,
    reasoning: tokenCount,
    images: fc.nat(10),
  })
  .map(({ input, cached, output, reasoning, images }) => ({
    inputTokenCount: input,
    cachedInputTokenCount: Math.min(cached, input),
    outputTokenCount: output,
    reasoningTokenCount: Math.min(reasoning, output),
    imageCount: images,
  }))

export const NO_USAGE: TokenUsage = {
  inputTokenCount: 0,
  cachedInputTokenCount: 0,
  outputTokenCount: 0,
  reasoningTokenCount: 0,
  imageCount: 0,
}

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (!parsed) throw new Error(`${text} is no decimal`)
  return parsed
}

export function somePrices(texts: { [Name in keyof Prices]?: string } = {}): Prices {
  const given = (text: string | undefined) => (text === undefined ? null : decimal(text))
  return {
    prompt: given(texts.prompt) ?? ZERO,
    completion: given(texts.completion) ?? ZERO,
    request: given(texts.request) ?? ZERO,
    image: given(texts.image) ?? ZERO,
    inputCacheRead: given(texts.inputCacheRead),
    inputCacheWrite: given(texts.inputCacheWrite),
    internalReasoning: given(texts.internalReasoning),
    inputCharacter: given(texts.inputCharacter),
    inputSecond: given(texts.inputSecond),
  }
}

export function someModel(fields: Partial<Model> = {}): Model {
  return {
    id: 'vendor/model',
    name: 'Model',
    description: '',
    kind: 'chat',
    createdAtSeconds: 0,
    contextLength: 8_000,
    outputTokenCountMax: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    prices: somePrices({ prompt: '0.000001', completion: '0.000002' }),
    upstreamIds: ['upstream'],
    ...fields,
  }
}
