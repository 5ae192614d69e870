import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatDecimal } from '@/lib/money/decimal'
import { PRICE_FIELDS } from './upstream-model'
import { usablePrices } from './usable-prices'

const good = { prompt: '0.000001', completion: '0.000002' }

describe('a model is unusable', () => {
  test('without a pricing, or without prompt or completion', () => {
    expect(usablePrices(null)).toBeNull()
    expect(usablePrices({})).toBeNull()
    expect(usablePrices({ prompt: '0' })).toBeNull()
    expect(usablePrices({ completion: '0' })).toBeNull()
  })

  test.each([
    '-1',
    '-0',
    ' -0',
    '-0.000001',
    '1e309',
    '1e41',
    'NaN',
    'Infinity',
    '-Infinity',
    '',
    ' ',
    '.',
    'free',
    '0x10',
    '1,5',
    '1_000',
    '0.1.2',
    'not a price',
    '9223372036854775807',
    '9223372036854775808',
    '9223372036854775809',
    `1${'0'.repeat(70)}`,
    `0.${'0'.repeat(31)}1`,
  ])('when any of its prices is %j', text => {
    for (const field of PRICE_FIELDS) {
      expect([field, usablePrices({ ...good, [field]: text })]).toEqual([field, null])
    }
  })

  test('just above a dollar a token, not at it', () => {
    expect(usablePrices({ ...good, completion: '1' })).not.toBeNull()
    expect(usablePrices({ ...good, completion: '1.0000001' })).toBeNull()
    expect(usablePrices({ ...good, image: '100.01' })).toBeNull()
  })
})

describe('a model is usable', () => {
  test.each([
    ['0', '0'],
    ['0.0', '0'],
    ['0.00000015', '0.00000015'],
    ['1.5e-7', '0.00000015'],
    ['1E-7', '0.0000001'],
    ['+1', null],
  ])('with the price %j as %j', (text, expected) => {
    const prices = usablePrices({ ...good, prompt: text })
    expect(prices && formatDecimal(prices.prompt)).toBe(expected)
  })

  test('with request and image free, and the others unknown, where they are left out', () => {
    expect(usablePrices(good)).toMatchObject({
      request: { coefficient: 0n },
      image: { coefficient: 0n },
      inputCacheRead: null,
      inputCacheWrite: null,
      internalReasoning: null,
    })
  })
})

test('whatever the text, a usable price is finite, not negative and bounded', () => {
  const text = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.tuple(fc.bigInt(), fc.integer({ min: -400, max: 400 })).map(([left, right]) => `${left}e${right}`),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(...PRICE_FIELDS), (value, field) => {
      const prices = usablePrices({ ...good, [field]: value })
      const all = prices ? Object.values(prices).filter(price => price !== null) : []
      return all.every(
        ({ coefficient, scale }) => coefficient >= 0n && coefficient <= 100n * 10n ** BigInt(scale),
      )
    }),
    { numRuns: 2_000 },
  )
})
