import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { PriceOverride } from '@/lib/catalogue/domain/model'
import { readOverride } from '@/lib/catalogue/domain/price-overrides'
import { price, somePrices } from '@/lib/catalogue/domain/testing'
import { thinMp3 } from '@/test/fixtures/recordings/frames'
import { waveFile } from '@/test/fixtures/recordings/wave'
import { boundSeconds, chargedSeconds, priceTranscription } from './transcription-cost'

describe('the highest charge of a recording', () => {
  test.each([
    ['a sample', 2, 1],
    ['two seconds', 64_000, 2],
    ['a sample more', 64_002, 3],
  ])('of %s is for its started seconds', (_, byteCount, secondCount) => {
    const file = waveFile({ sound: new Uint8Array(byteCount) })
    expect(boundSeconds(file)).toEqual({ outcome: 'measured', secondCount, extension: 'wav' })
  })

  test('of half an hour of MP3 in WAV is for half an hour, whatever the header says', () => {
    const file = waveFile({ sound: thinMp3(25_000), subFormat: 0x55, channels: 8, rate: 192_000, bits: 32 })
    expect(boundSeconds(file)).toMatchObject({ secondCount: 1_800 })
  })

  test('of an unmeasurable file is the reason for its refusal', () => {
    const refused = { outcome: 'refused', reason: expect.stringContaining('Accepted formats are WAV, MP3') }
    expect(boundSeconds(new Uint8Array(9_000))).toEqual(refused)
  })
})

test('a second costs the highest price of the day if it depends on the hour', () => {
  const onSunday = readOverride({ utc_days: ['sunday'], input_second: '0.0005', request: '0.001' })
  const prices = somePrices({ inputSecond: '0.0001' }, [onSunday as PriceOverride])
  expect(priceTranscription(prices, 10)).toBe(6_000_000n)
})

describe('the charged seconds of a recording', () => {
  test.each([
    [5.2, 6],
    [7.01, 8],
    [10, 10],
  ])('are the reported ones: %p seconds', (told, secondCount) => {
    expect(chargedSeconds(told, 10)).toEqual({ secondCount, isReported: true, excessSecondCount: 0 })
  })

  test.each([null, 0, -0, -3, 0.2, 4, Number.NaN, Number.NEGATIVE_INFINITY])(
    'are the measured ones if the upstream reports %p',
    told => {
      expect(chargedSeconds(told, 10)).toEqual({ secondCount: 10, isReported: false, excessSecondCount: 0 })
    },
  )

  test.each([
    [10.1, 1],
    [7_200, 7_190],
    [Number.POSITIVE_INFINITY, 7 * 24 * 3_600 - 10],
  ])(
    'are the measured ones if the upstream reports more, and the difference is returned: %p seconds',
    (told, excess) => {
      expect(chargedSeconds(told, 10)).toEqual({
        secondCount: 10,
        isReported: false,
        excessSecondCount: excess,
      })
    },
  )

  test('are never more than the bound and never zero', () => {
    fc.assert(
      fc.property(fc.option(fc.double()), fc.integer({ min: 1, max: 86_400 }), (told, secondCountMax) => {
        const { secondCount, excessSecondCount } = chargedSeconds(told, secondCountMax)
        expect(secondCount >= 1 && secondCount <= secondCountMax).toBe(true)
        expect(excessSecondCount).toBeGreaterThanOrEqual(0)
      }),
    )
  })
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
