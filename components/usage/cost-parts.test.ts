import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { costParts } from './cost-parts'
import { someCall } from './testing'

const CALL = someCall({
  input_count: 1000,
  cached_input_count: 400,
  output_count: 50,
  reasoning_count: 20,
  price_snapshot: {
    prompt: '0.000001',
    completion: '0.000002',
    request: '0.0001',
    image: '0',
    input_cache_read: '0.00000025',
  },
  price_in_usd: 0.0009,
})

describe('what a call cost', () => {
  test.each<Record<string, string>>([
    {},
    { prompt: '-1', completion: '1' },
    { prompt: 'x', completion: '1' },
    { prompt: '0', completion: '0', input_character: '0.00001' },
    { prompt: '0', completion: '0', input_second: '0.0001' },
  ])('is not explained from the prices %j', price_snapshot => {
    expect(costParts({ ...CALL, price_snapshot })).toBeNull()
  })

  test('is each count times its price, with cached input at its own price, plus the request fee', () => {
    expect(costParts(CALL)).toEqual({
      parts: [
        { kind: 'input', count: 600, priceUsd: '1', partUsd: '0.0006' },
        { kind: 'cachedInput', count: 400, priceUsd: '0.25', partUsd: '0.0001' },
        { kind: 'output', count: 30, priceUsd: '2', partUsd: '0.00006' },
        { kind: 'reasoning', count: 20, priceUsd: '2', partUsd: '0.00004' },
        { kind: 'request', count: 1, priceUsd: '0.0001', partUsd: '0.0001' },
      ],
      cacheDiscountUsd: '0.0003',
      differenceUsd: null,
    })
  })

  test('differs from its parts if the provider reported its own cost', () => {
    expect(costParts({ ...CALL, price_in_usd: 0.001 })?.differenceUsd).toBe('0.0001')
    expect(costParts({ ...CALL, price_in_usd: 0 })?.differenceUsd).toBe('-0.0009')
  })

  test('is the price per picture for image calls', () => {
    const tokens = {
      input_count: 0,
      cached_input_count: 0,
      output_count: 0,
      reasoning_count: 0,
    }
    const price_snapshot = { prompt: '0', completion: '0', image: '0.04' }
    const call = someCall({ ...tokens, price_snapshot, price_in_usd: 0.08, query_type: 'image' })
    expect(costParts(call)).toMatchObject({
      parts: [{ kind: 'picture', count: 2, priceUsd: '0.04', partUsd: '0.08' }],
      differenceUsd: null,
    })
    expect(costParts({ ...call, price_in_usd: 0.05 })?.differenceUsd).toBe('0.01')
    expect(costParts({ ...call, query_type: 'chat' })?.parts).toEqual([])
  })

  test.each([
    ['chat', '1'],
    ['transcription', '3'],
  ] as const)('depends on the hour for a chat alone: %s', (query_type, priceUsd) => {
    const morning = JSON.stringify({ utc_start: '900', utc_end: '1200', prompt: '0.000001' })
    const price_snapshot = { prompt: '0.000003', completion: '0.000002', 'overrides.0': morning }
    const { parts } = costParts(someCall({ query_type, price_snapshot })) ?? {}
    expect(parts).toContainEqual(expect.objectContaining({ kind: 'input', priceUsd }))
  })

  test('is that of sound for a recording', () => {
    const price_snapshot = { prompt: '0.0000025', completion: '0.00001', audio: '0.000006' }
    const counts = { input_count: 600, output_count: 100, price_in_usd: 0.0046 }
    expect(costParts(someCall({ ...counts, query_type: 'transcription', price_snapshot }))).toEqual({
      parts: [
        { kind: 'input', count: 600, priceUsd: '6', partUsd: '0.0036' },
        { kind: 'output', count: 100, priceUsd: '10', partUsd: '0.001' },
      ],
      cacheDiscountUsd: null,
      differenceUsd: null,
    })
  })

  test('has no cache discount if cached input costs the same', () => {
    const { input_cache_read, ...price_snapshot } = CALL.price_snapshot
    expect(costParts({ ...CALL, price_snapshot })?.cacheDiscountUsd).toBeNull()
  })

  test('never has more cached tokens than input, or more reasoning than output', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(), (input, cached, output, reasoning) => {
        const result = costParts({
          ...CALL,
          input_count: input,
          cached_input_count: cached,
          output_count: output,
          reasoning_count: reasoning,
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
