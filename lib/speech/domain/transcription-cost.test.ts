import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { price, somePrices } from '@/lib/catalogue/domain/testing'
import { chargedSeconds, priceTranscription } from './transcription-cost'

test.each([
  [-1, 10],
  [Number.NaN, 10],
  [Number.POSITIVE_INFINITY, 10],
  [101, 10],
  [2.01, 3],
  [0, 10],
])('of %p seconds that an upstream tells of a recording of ten at most, %p are charged', (told, charged) => {
  expect(chargedSeconds(told, 10)).toBe(charged)
})

describe('the price of a recording', () => {
  test('grows with every second and is never negative', () => {
    const count = fc.integer({ min: 1, max: 600_000 })
    fc.assert(
      fc.property(price, count, count, (inputSecond, one, other) => {
        const prices = { ...somePrices(), inputSecond }
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        expect(priceTranscription(prices, less)).toBeGreaterThanOrEqual(0n)
        expect(priceTranscription(prices, less)).toBeLessThanOrEqual(priceTranscription(prices, more))
      }),
    )
  })
})
