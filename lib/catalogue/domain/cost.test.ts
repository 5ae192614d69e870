import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add, compare, decimalFromInteger, formatDecimal, multiply, ZERO } from '@/lib/money/decimal'
import { applyMarkup } from './apply-markup'
import { averageMessageCost } from './average-message-cost'
import { cost, NO_USAGE } from './cost'
import type { Model, TokenUsage } from './model'
import { callTime, decimal, price, prices, somePrices, steadyPrices, usage } from './testing'

const ONE = decimalFromInteger(1)

describe('cost', () => {
  test.each<[string, Partial<TokenUsage>, bigint]>([
    ['input and output', { inputTokenCount: 1000, outputTokenCount: 500 }, 2_000_000n],
    ['the request fee on an empty exchange', {}, 0n],
    ['an image', { imageCount: 2 }, 2_000_000n],
    ['cached input at its own price', { inputTokenCount: 1000, cachedInputTokenCount: 1000 }, 100_000n],
    ['reasoning at its own price', { outputTokenCount: 10, reasoningTokenCount: 10 }, 40_000n],
    ['what is written to the cache', { inputTokenCount: 100, cacheWriteInputTokenCount: 100 }, 125_000n],
    [
      'what is written there for long',
      { inputTokenCount: 100, cacheWriteInputTokenCount: 100, longCacheWriteInputTokenCount: 40 },
      155_000n,
    ],
    ['sound that is heard', { inputTokenCount: 100, audioInputTokenCount: 60 }, 640_000n],
    [
      'sound beside what comes from the cache, which may be sound itself',
      { inputTokenCount: 100, cachedInputTokenCount: 60, audioInputTokenCount: 40 },
      430_000n,
    ],
    ['pictures that are seen', { inputTokenCount: 100, imageInputTokenCount: 50 }, 150_000n],
    ['sound that is spoken', { outputTokenCount: 100, audioOutputTokenCount: 100 }, 6_400_000n],
    ['pictures that are drawn', { outputTokenCount: 100, imageOutputTokenCount: 100 }, 3_000_000n],
    ['searches', { webSearchCount: 3 }, 30_000_000n],
  ])('counts %s', (_, counts, expected) => {
    const known = somePrices({
      prompt: '0.000001',
      completion: '0.000002',
      image: '0.001',
      inputCacheRead: '0.0000001',
      inputCacheWrite: '0.00000125',
      inputCacheWriteLong: '0.000002',
      inputAudio: '0.00001',
      inputAudioCacheRead: '0.0000005',
      inputImage: '0.000002',
      outputAudio: '0.000064',
      outputImage: '0.00003',
      internalReasoning: '0.000004',
      webSearch: '0.01',
    })
    expect(cost({ prices: known, usage: { ...NO_USAGE, ...counts } })).toBe(expected)
  })

  test('uses the general price if a special one is missing or zero, so that nothing becomes free', () => {
    const zero = '0'
    const counts = {
      inputTokenCount: 50,
      cachedInputTokenCount: 10,
      cacheWriteInputTokenCount: 10,
      longCacheWriteInputTokenCount: 5,
      audioInputTokenCount: 10,
      imageInputTokenCount: 10,
      outputTokenCount: 30,
      reasoningTokenCount: 10,
      audioOutputTokenCount: 10,
      imageOutputTokenCount: 10,
    }
    const general = { prompt: '0.000001', completion: '0.000002' }
    const zeros = {
      inputCacheRead: zero,
      inputAudioCacheRead: zero,
      inputCacheWrite: zero,
      inputCacheWriteLong: zero,
      inputAudio: zero,
      inputImage: zero,
      internalReasoning: zero,
      outputAudio: zero,
      outputImage: zero,
    }
    for (const known of [somePrices(general), somePrices({ ...general, ...zeros })])
      expect(cost({ prices: known, usage: { ...NO_USAGE, ...counts } })).toBe(110_000n)
  })

  test('uses the price of the very length, time and tier, even if it is lower than the others', () => {
    const anyway = { inputTokenCountAbove: null, window: null }
    const night = { days: null, startMinute: 0, endMinute: 360 }
    const known = somePrices({ prompt: '0.000004' }, [
      { ...anyway, inputTokenCountAbove: 1_000, prices: { prompt: decimal('0.000003') } },
      { ...anyway, window: night, prices: { prompt: decimal('0.000002') } },
      { ...anyway, serviceTier: 'flex', prices: { prompt: decimal('0.000001') } },
    ])
    const costOf = (count: number, clock: string, serviceTier?: string) => {
      const at = new Date(`2026-11-27T${clock}:00Z`)
      return cost({ prices: known, usage: { ...NO_USAGE, inputTokenCount: count }, at, serviceTier })
    }
    expect(costOf(1_000, '12:00')).toBe(4_000_000n)
    expect(costOf(2_000, '12:00')).toBe(6_000_000n)
    expect(costOf(1_000, '03:00')).toBe(2_000_000n)
    expect(costOf(1_000, '12:00', 'flex')).toBe(1_000_000n)
  })

  test('uses the higher price of two for cached input beside sound, of which either may be cached', () => {
    const known = somePrices({
      prompt: '0.000002',
      inputCacheRead: '0.000001',
      inputAudioCacheRead: '0.0000005',
    })
    const counts = { inputTokenCount: 100, cachedInputTokenCount: 90, audioInputTokenCount: 10 }
    expect(cost({ prices: known, usage: { ...NO_USAGE, ...counts } })).toBe(110_000n)
  })

  test('charges the request fee once', () => {
    const fee = somePrices({ request: '0.002' })
    expect(cost({ prices: fee, usage: { ...NO_USAGE, outputTokenCount: 900 } })).toBe(2_000_000n)
  })

  test('counts invalid counts as zero, and never more cached or reasoning tokens than the total', () => {
    const known = somePrices({ prompt: '0.000001', completion: '0.000001', inputCacheRead: '0' })
    const counts = {
      ...NO_USAGE,
      inputTokenCount: Number.NaN,
      cachedInputTokenCount: 50,
      outputTokenCount: -5,
      reasoningTokenCount: Number.POSITIVE_INFINITY,
      imageCount: -1,
    }
    expect(cost({ prices: known, usage: counts })).toBe(0n)
  })

  test('is never negative, and grows with every charged count', () => {
    const extra = fc.integer({ min: 1, max: 10_000 })
    fc.assert(
      fc.property(steadyPrices, usage, extra, (known, counts, more) => {
        const before = cost({ prices: known, usage: counts })
        const charged = ['inputTokenCount', 'outputTokenCount', 'imageCount', 'webSearchCount'] as const
        const after = charged.map(field =>
          cost({ prices: known, usage: { ...counts, [field]: counts[field] + more } }),
        )
        return before >= 0n && after.every(charge => charge >= before)
      }),
    )
  })

  test('is never lower if the time is unknown', () => {
    fc.assert(
      fc.property(prices, usage, callTime, (known, counts, at) => {
        return cost({ prices: known, usage: counts, at }) <= cost({ prices: known, usage: counts })
      }),
    )
  })

  test('of a thousand single tokens differs from that of one thousand only by rounding', () => {
    fc.assert(
      fc.property(price, tokenPrice => {
        const known = { ...somePrices(), completion: tokenPrice }
        const one = cost({ prices: known, usage: { ...NO_USAGE, outputTokenCount: 1 } })
        const thousand = cost({ prices: known, usage: { ...NO_USAGE, outputTokenCount: 1_000 } })
        return one * 1_000n >= thousand && one * 1_000n - thousand < 1_000n
      }),
    )
  })

  test('is rounded up, by less than a nano-dollar', () => {
    fc.assert(
      fc.property(steadyPrices, fc.integer({ min: 0, max: 100_000 }), (known, count) => {
        const exact = add(known.request, multiply(known.prompt, decimalFromInteger(count)))
        const charged = cost({ prices: known, usage: { ...NO_USAGE, inputTokenCount: count } })
        const nano = (value: bigint) => ({ coefficient: value, scale: 9 })
        return compare(nano(charged), exact) >= 0 && compare(nano(charged - 1n), exact) < 0
      }),
    )
  })
})

describe('markup', () => {
  test('is exact', () => {
    const marked = applyMarkup(
      somePrices({ prompt: '0.00000015', inputCacheRead: '0.000000075' }),
      decimal('0.055'),
    )
    expect(formatDecimal(marked.prompt)).toBe('0.00000015825')
    expect(marked.inputCacheRead && formatDecimal(marked.inputCacheRead)).toBe('0.000000079125')
    expect(marked.internalReasoning).toBeNull()
  })

  test('of zero changes nothing, and a free model stays free', () => {
    fc.assert(
      fc.property(prices, usage, price, (known, counts, markup) => {
        const same = applyMarkup(known, ZERO)
        const free = applyMarkup(somePrices(), markup)
        const costOf = (some: typeof known) => cost({ prices: some, usage: counts })
        return costOf(same) === costOf(known) && costOf(free) === 0n
      }),
    )
  })

  test('applies to every price, including conditional ones', () => {
    fc.assert(
      fc.property(prices, usage, (known, counts) => {
        const [once, twice] = [known, applyMarkup(known, ONE)].map(some =>
          cost({ prices: some, usage: counts }),
        )
        const difference = (once ?? 0n) * 2n - (twice ?? 0n)
        return difference === 0n || difference === 1n
      }),
    )
  })
})

test('a typical message costs its tokens, its reasoning and an automatic search', () => {
  const prices = somePrices({ prompt: '0.000001', completion: '0.00001', webSearch: '0.005' })
  const costOf = (id: string, reasoning: Model['reasoning'] = null) =>
    averageMessageCost({ id, prices, reasoning })
  expect(costOf('m')).toBe(4_300_000n)
  expect(costOf('m', { efforts: ['high', 'low'], mandatory: false })).toBe(19_300_000n)
  expect(costOf('sonar')).toBe(9_300_000n)
})
