import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { costParts } from './cost-parts'

const CALL = {
  inputTokenCount: 1000,
  cachedInputTokenCount: 400,
  outputTokenCount: 50,
  reasoningTokenCount: 20,
  priceSnapshot: {
    prompt: '0.000001',
    completion: '0.000002',
    request: '0.0001',
    image: '0',
    input_cache_read: '0.00000025',
  },
  priceUsd: 0.0009,
}

describe('what a call cost', () => {
  test.each<Record<string, string>>([
    {},
    { prompt: '-1', completion: '1' },
    { prompt: 'x', completion: '1' },
    { prompt: '0', completion: '0', input_character: '0.00001' },
    { prompt: '0', completion: '0', input_second: '0.0001' },
  ])('is not told from the prices %j', priceSnapshot => {
    expect(costParts({ ...CALL, priceSnapshot })).toBeNull()
  })

  test('is each count times its price, the cached input at its own, and the fee', () => {
    expect(costParts(CALL)).toEqual({
      parts: [
        { kind: 'input', count: 600, priceUsd: '1', partUsd: '0.0006' },
        { kind: 'cachedInput', count: 400, priceUsd: '0.25', partUsd: '0.0001' },
        { kind: 'output', count: 30, priceUsd: '2', partUsd: '0.00006' },
        { kind: 'reasoning', count: 20, priceUsd: '2', partUsd: '0.00004' },
        { kind: 'request', count: 1, priceUsd: '0.0001', partUsd: '0.0001' },
      ],
      sumUsd: '0.0009',
      cacheDiscountUsd: '0.0003',
      differenceUsd: null,
    })
  })

  test('differs from its parts when the provider named its own figure', () => {
    expect(costParts({ ...CALL, priceUsd: 0.001 })?.differenceUsd).toBe('0.0001')
    expect(costParts({ ...CALL, priceUsd: 0 })?.differenceUsd).toBe('-0.0009')
  })

  test('has no cache discount where cached input costs the same', () => {
    const { input_cache_read, ...priceSnapshot } = CALL.priceSnapshot
    expect(costParts({ ...CALL, priceSnapshot })?.cacheDiscountUsd).toBeNull()
  })

  test('never has more cached tokens than input, or more reasoning than output', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(), (input, cached, output, reasoning) => {
        const result = costParts({
          ...CALL,
          inputTokenCount: input,
          cachedInputTokenCount: cached,
          outputTokenCount: output,
          reasoningTokenCount: reasoning,
        })
        const countOf = (...kinds: string[]) =>
          (result?.parts ?? [])
            .filter(part => kinds.includes(part.kind))
            .reduce((sum, part) => sum + part.count, 0)
        expect(countOf('input', 'cachedInput')).toBe(input)
        expect(countOf('output', 'reasoning')).toBe(output)
      }),
    )
  })
})
