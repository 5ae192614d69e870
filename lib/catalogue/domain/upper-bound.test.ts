import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { affordableOutputTokens, OUTPUT_TOKEN_COUNT_UNLIMITED } from './affordable-output-tokens'
import { cost } from './cost'
import { prices, somePrices, usage } from './testing'
import { upperBound } from './upper-bound'

describe('upper bound', () => {
  test('is never below what any exchange within it costs', () => {
    fc.assert(
      fc.property(prices, usage, (known, counts) => {
        const bound = upperBound({
          prices: known,
          promptTokenCountMax: counts.inputTokenCount,
          imageCount: counts.imageCount,
          outputTokenCountMax: counts.outputTokenCount,
        })
        return cost({ prices: known, usage: counts }) <= bound
      }),
    )
  })

  test('takes the dearest way in and out', () => {
    const known = somePrices({
      prompt: '0.000001',
      completion: '0.000002',
      request: '0.01',
      inputCacheWrite: '0.000002',
      internalReasoning: '0.000003',
    })
    const request = { prices: known, promptTokenCountMax: 1_000, outputTokenCountMax: 1_000 }
    expect(upperBound(request)).toBe(15_000_000n)
  })
})

describe('affordable output', () => {
  const request = {
    prices: somePrices({ prompt: '0.000001', completion: '0.000002' }),
    promptTokenCountMax: 10,
  }

  test.each([
    [-1n, 0],
    [0n, 0],
    [9_999n, 0],
    [10_000n, 0],
    [11_999n, 0],
    [12_000n, 1],
    [30_000_000n, 14_995],
  ])('of %s nano-dollars is %s tokens', (availableNano, expected) => {
    expect(affordableOutputTokens({ ...request, availableNano })).toBe(expected)
  })

  test('is unlimited when output is free and the rest is paid for', () => {
    const free = { prices: somePrices({ request: '0.001' }), promptTokenCountMax: 10 }
    expect(affordableOutputTokens({ ...free, availableNano: 1_000_000n })).toBe(OUTPUT_TOKEN_COUNT_UNLIMITED)
    expect(affordableOutputTokens({ ...free, availableNano: 999_999n })).toBe(0)
  })

  test('costs no more than what is available, and one token more would', () => {
    const available = fc.bigInt({ min: 0n, max: 100_000_000_000n })
    const promptCount = fc.integer({ min: 0, max: 50_000 })
    fc.assert(
      fc.property(
        prices,
        promptCount,
        fc.nat(4),
        available,
        (known, promptTokenCountMax, imageCount, money) => {
          const bound = { prices: known, promptTokenCountMax, imageCount }
          const affordable = affordableOutputTokens({ ...bound, availableNano: money })
          const costOf = (count: number) => upperBound({ ...bound, outputTokenCountMax: count })
          if (affordable === 0) return costOf(1) > money
          if (affordable === OUTPUT_TOKEN_COUNT_UNLIMITED) return costOf(affordable) <= money
          return costOf(affordable) <= money && costOf(affordable + 1) > money
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
