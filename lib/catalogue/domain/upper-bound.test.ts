import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cost, NO_USAGE } from './cost'
import type { TokenUsage } from './model'
import { callTime, decimal, prices, somePrices, usage } from './testing'
import { affordableOutputTokens, OUTPUT_TOKEN_COUNT_UNLIMITED, upperBound } from './upper-bound'

describe('the upper bound', () => {
  const within = fc.record({
    known: prices,
    counts: usage,
    modalities: fc.subarray(['text', 'audio', 'image']),
    mayCacheLong: fc.boolean(),
    at: fc.option(callTime, { nil: undefined }),
  })

  test('is never below the cost of any exchange within it, at any time', () => {
    fc.assert(
      fc.property(within, ({ known, counts: told, modalities, mayCacheLong, at }) => {
        const counts: TokenUsage = {
          ...told,
          longCacheWriteInputTokenCount: mayCacheLong ? told.longCacheWriteInputTokenCount : 0,
          imageInputTokenCount: told.imageCount > 0 ? told.imageInputTokenCount : 0,
          audioOutputTokenCount: modalities.includes('audio') ? told.audioOutputTokenCount : 0,
          imageOutputTokenCount: modalities.includes('image') ? told.imageOutputTokenCount : 0,
          inputTokenCount: told.inputTokenCount + told.audioInputTokenCount,
        }
        const bound = upperBound({
          prices: known,
          promptTokenCountMax: told.inputTokenCount,
          audioInputTokenCountMax: counts.audioInputTokenCount,
          imageCount: counts.imageCount,
          webSearchCountMax: counts.webSearchCount,
          outputTokenCountMax: counts.outputTokenCount,
          outputModalities: modalities,
          mayCacheLong,
        })
        return cost({ prices: known, usage: counts, at }) <= bound
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(['flex', 'priority'])('covers the usual tier and %s, whichever of them is served', name => {
    const tierOf = (serviceTier: string, prompt: string) => ({
      inputTokenCountAbove: null,
      window: null,
      serviceTier,
      prices: { prompt: decimal(prompt) },
    })
    const known = somePrices({ prompt: '0.5' }, [tierOf('flex', '0.2'), tierOf('priority', '0.9')])
    const bound = upperBound({
      prices: known,
      promptTokenCountMax: 10,
      outputTokenCountMax: 0,
      serviceTier: name,
    })
    for (const serviceTier of [undefined, name]) {
      const counts = { ...NO_USAGE, inputTokenCount: 10 }
      expect(bound).toBeGreaterThanOrEqual(cost({ prices: known, usage: counts, serviceTier }))
    }
  })

  test('includes the sound of videos, which counts as input', () => {
    fc.assert(
      fc.property(prices, usage, callTime, (known, told, at) => {
        const inputTokenCount = Math.max(told.inputTokenCount, told.audioInputTokenCount)
        const counts = { ...told, inputTokenCount }
        const bound = upperBound({
          prices: known,
          promptTokenCountMax: inputTokenCount,
          hasHiddenSound: true,
          imageCount: Math.max(1, counts.imageCount),
          webSearchCountMax: counts.webSearchCount,
          outputTokenCountMax: counts.outputTokenCount,
        })
        return cost({ prices: known, usage: counts, at }) <= bound
      }),
      { numRuns: 2_000 },
    )
  })

  test('includes the pictures of files, which count as input', () => {
    const known = somePrices({ prompt: '0.000001', inputImage: '0.000003' })
    const bound = (hasHiddenPictures: boolean) =>
      upperBound({ prices: known, promptTokenCountMax: 1_000, outputTokenCountMax: 0, hasHiddenPictures })
    expect([bound(false), bound(true)]).toEqual([1_000_000n, 3_000_000n])
  })

  test('grows with everything a request may use', () => {
    fc.assert(
      fc.property(prices, usage, fc.integer({ min: 1, max: 1_000 }), (known, counts, more) => {
        const bound = {
          prices: known,
          promptTokenCountMax: counts.inputTokenCount,
          audioInputTokenCountMax: counts.audioInputTokenCount,
          imageCount: counts.imageCount,
          webSearchCountMax: counts.webSearchCount,
          outputTokenCountMax: counts.outputTokenCount,
        }
        const { prices: _, ...maxima } = bound
        return Object.entries(maxima).every(
          ([name, count]) => upperBound({ ...bound, [name]: count + more }) >= upperBound(bound),
        )
      }),
    )
  })

  test('uses the long-prompt price only if the prompt may exceed the threshold', () => {
    const longer = { inputTokenCountAbove: 1_000, window: null, prices: { prompt: decimal('0.000002') } }
    const known = somePrices({ prompt: '0.000001' }, [longer])
    const bound = (promptTokenCountMax: number) =>
      upperBound({ prices: known, promptTokenCountMax, outputTokenCountMax: 0 })
    expect([bound(1_000), bound(1_001)]).toEqual([1_000_000n, 2_002_000n])
  })

  test('uses the price of a shorter prompt if that is higher: the prompt may be shorter', () => {
    const longer = { inputTokenCountAbove: 1_000, window: null, prices: { prompt: decimal('0.000001') } }
    const known = somePrices({ prompt: '0.000002' }, [longer])
    const request = { prices: known, promptTokenCountMax: 1_500, outputTokenCountMax: 0 }
    expect(upperBound(request)).toBe(3_000_000n)
  })

  test('uses the highest input and output prices', () => {
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

  test('leaves out what the request excludes', () => {
    const known = somePrices({
      prompt: '0.000001',
      completion: '0.000002',
      inputCacheWriteLong: '0.000009',
      outputAudio: '0.000064',
      outputImage: '0.00003',
    })
    const request = { prices: known, promptTokenCountMax: 1_000, outputTokenCountMax: 1_000 }
    expect(upperBound(request)).toBe(73_000_000n)
    expect(upperBound({ ...request, mayCacheLong: false })).toBe(65_000_000n)
    expect(upperBound({ ...request, mayCacheLong: false, outputModalities: ['text', 'image'] })).toBe(
      31_000_000n,
    )
    expect(upperBound({ ...request, mayCacheLong: false, outputModalities: [] })).toBe(3_000_000n)
  })
})

describe('the affordable output', () => {
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

  test('is unlimited if output is free and the rest is covered', () => {
    const free = { prices: somePrices({ request: '0.001' }), promptTokenCountMax: 10 }
    expect(affordableOutputTokens({ ...free, availableNano: 1_000_000n })).toBe(OUTPUT_TOKEN_COUNT_UNLIMITED)
    expect(affordableOutputTokens({ ...free, availableNano: 999_999n })).toBe(0)
  })

  test('costs no more than the available amount, and one more token would exceed it', () => {
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
