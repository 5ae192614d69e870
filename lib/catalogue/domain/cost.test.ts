import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add, compare, decimalFromInteger, formatDecimal, multiply, ZERO } from '@/lib/money/decimal'
import { NANO_MAX } from '@/lib/money/nano'
import { applyMarkup } from './apply-markup'
import { averageMessageCost } from './average-message-cost'
import { cost } from './cost'
import { costFromUpstream } from './cost-from-upstream'
import type { TokenUsage } from './model'
import { decimal, NO_USAGE, price, prices, somePrices, usage } from './testing'

describe('cost', () => {
  test.each<[string, Partial<TokenUsage>, bigint]>([
    ['input and output', { inputTokenCount: 1000, outputTokenCount: 500 }, 2_000_000n],
    ['the request fee on an empty exchange', {}, 0n],
    ['an image', { imageCount: 2 }, 2_000_000n],
    ['cached input at its own price', { inputTokenCount: 1000, cachedInputTokenCount: 1000 }, 100_000n],
    ['reasoning at its own price', { outputTokenCount: 10, reasoningTokenCount: 10 }, 40_000n],
  ])('counts %s', (_, counts, expected) => {
    const known = somePrices({
      prompt: '0.000001',
      completion: '0.000002',
      image: '0.001',
      inputCacheRead: '0.0000001',
      internalReasoning: '0.000004',
    })
    expect(cost({ prices: known, usage: { ...NO_USAGE, ...counts } })).toBe(expected)
  })

  test('takes prompt and completion where cache and reasoning have no price, or reasoning a zero', () => {
    const plain = somePrices({ prompt: '0.000001', completion: '0.000002', internalReasoning: '0' })
    const counts = {
      inputTokenCount: 10,
      cachedInputTokenCount: 10,
      outputTokenCount: 10,
      reasoningTokenCount: 10,
    }
    expect(cost({ prices: plain, usage: { ...NO_USAGE, ...counts } })).toBe(30_000n)
  })

  test('charges the request fee once', () => {
    const fee = somePrices({ request: '0.002' })
    expect(cost({ prices: fee, usage: { ...NO_USAGE, outputTokenCount: 900 } })).toBe(2_000_000n)
  })

  test('takes nonsense counts for none, and never more cached or reasoning than there is', () => {
    const known = somePrices({ prompt: '0.000001', completion: '0.000001', inputCacheRead: '0' })
    const counts = {
      inputTokenCount: Number.NaN,
      cachedInputTokenCount: 50,
      outputTokenCount: -5,
      reasoningTokenCount: Number.POSITIVE_INFINITY,
      imageCount: -1,
    }
    expect(cost({ prices: known, usage: counts })).toBe(0n)
  })

  test('is never negative and grows with every count that is charged', () => {
    const extra = fc.integer({ min: 1, max: 10_000 })
    fc.assert(
      fc.property(prices, usage, extra, (known, counts, more) => {
        const before = cost({ prices: known, usage: counts })
        const after = (['inputTokenCount', 'outputTokenCount', 'imageCount'] as const).map(field =>
          cost({ prices: known, usage: { ...counts, [field]: counts[field] + more } }),
        )
        return before >= 0n && after.every(charge => charge >= before)
      }),
    )
  })

  test('of a thousand single tokens and of one thousand differ by rounding alone', () => {
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
      fc.property(prices, fc.integer({ min: 0, max: 100_000 }), (known, count) => {
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

  test('of zero changes nothing, and free stays free', () => {
    fc.assert(
      fc.property(prices, price, (known, markup) => {
        const same = applyMarkup(known, ZERO)
        const free = applyMarkup(somePrices(), markup)
        return compare(same.prompt, known.prompt) === 0 && compare(free.completion, ZERO) === 0
      }),
    )
  })
})

describe('cost named by the upstream', () => {
  test.each([
    ['-0.01', null],
    ['1000000.01', null],
    ['0', 0n],
    ['0.0000000001', 1n],
    ['0.01', 10_550_000n],
  ])('%s with a markup of 5.5 %% is %s', (text, expected) => {
    expect(costFromUpstream(decimal(text), decimal('0.055'))).toBe(expected)
  })

  test('never passes what a transfer may carry', () => {
    expect(costFromUpstream(decimal('1000000'), ZERO)).toBe(NANO_MAX)
  })
})

test('an average message costs its thousand tokens in and four hundred out', () => {
  expect(averageMessageCost(somePrices({ prompt: '0.000001', completion: '0.00001' }))).toBe(5_000_000n)
})
