import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { routing } from '@/lib/i18n/routing'
import { formatMoney } from './format-money'
import { amountFromAddress, amountToText, parseAmount } from './typed-amount'

const LIMITS = { min: 0.1, max: 5000 }
const EVERYTHING = { min: 0.01, max: 10_000_000 }
const locales = fc.constantFrom(...routing.locales)
const amounts = fc.integer({ min: 1, max: 999_999_999 }).map(cents => cents / 100)

describe('a typed amount', () => {
  test.each([
    '',
    ' ',
    'five',
    '1e3',
    '0x10',
    'NaN',
    '1 0',
    '1,00,000',
    '1.234,567',
    '1,2,3',
    '.',
    '5€',
    '0.505',
  ])('%j is malformed', text => {
    expect(parseAmount(text, LIMITS, 'en')).toEqual({ problem: 'malformed' })
  })

  test.each([
    ['en', '0.09', { problem: 'too_small' }],
    ['en', '0', { problem: 'too_small' }],
    ['en', '-1', { problem: 'too_small' }],
    ['en', '0.10', { amountUsd: 0.1 }],
    ['en', '5000', { amountUsd: 5000 }],
    ['en', '5000.01', { problem: 'too_large' }],
    ['en', '99999999', { problem: 'too_large' }],
    ['en', '9'.repeat(400), { problem: 'too_large' }],
    ['en', '1,000,000', { problem: 'too_large' }],
    ['en', ' $5 ', { amountUsd: 5 }],
    ['en', 'US$5', { amountUsd: 5 }],
    ['en', '5 USD', { amountUsd: 5 }],
    ['en', '５', { amountUsd: 5 }],
    ['en', '.5', { amountUsd: 0.5 }],
    ['en', '5.', { amountUsd: 5 }],
    ['en', '0.500', { amountUsd: 0.5 }],
    ['en', '1,50', { amountUsd: 1.5 }],
    ['en', '1,000', { amountUsd: 1000 }],
    ['en', '1,000.50', { amountUsd: 1000.5 }],
    ['en', '1.000,50', { amountUsd: 1000.5 }],
    ['en', "1'000.50", { amountUsd: 1000.5 }],
    ['de', '1.000', { amountUsd: 1000 }],
    ['de', '2,50', { amountUsd: 2.5 }],
    ['de', '2.50', { amountUsd: 2.5 }],
    ['it', '1.000,50', { amountUsd: 1000.5 }],
    ['fr', '1 000', { amountUsd: 1000 }],
    ['fr', '1\u202f000,50 $', { amountUsd: 1000.5 }],
    ['es', '1 000', { amountUsd: 1000 }],
    ['es', '1.000', { amountUsd: 1000 }],
  ])('in %s %j gives %j', (locale, text, result) => {
    expect(parseAmount(text, LIMITS, locale)).toEqual(result)
  })

  test.each([
    ['en', '1.000', [1, 1000]],
    ['de', '1,000', [1, 1000]],
    ['de', '2,500', [2.5, 2500]],
    ['fr', '1.000', [1, 1000]],
    ['en', '1.234', [1234]],
    ['en', '2.505', [2505]],
    ['en', '9.000', [9]],
  ])('in %s %j can be read as: %j', (locale, text, readingsUsd) => {
    expect(parseAmount(text, LIMITS, locale)).toEqual({ readingsUsd })
  })

  test('whose readings are all outside the limits is refused', () => {
    expect(parseAmount('1.000', { min: 5, max: 500 }, 'en')).toEqual({ problem: 'too_small' })
    expect(parseAmount('900.000', { min: 5, max: 500 }, 'en')).toEqual({ problem: 'too_large' })
  })

  test('is always within the limits if it is accepted or ambiguous', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789., -$'), maxLength: 14 })
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), locales, (text, locale) => {
        const read = parseAmount(text, LIMITS, locale)
        const amountsUsd = 'problem' in read ? [] : 'amountUsd' in read ? [read.amountUsd] : read.readingsUsd
        return amountsUsd.every(usd => usd >= LIMITS.min && usd <= LIMITS.max)
      }),
    )
  })
})

describe('a formatted amount', () => {
  test('is read back unchanged in its own language, with or without sign and grouping', () => {
    fc.assert(
      fc.property(amounts, locales, (usd, locale) => {
        const grouped = new Intl.NumberFormat(locale, { useGrouping: 'always', maximumFractionDigits: 2 })
        for (const text of [formatMoney(usd, locale), grouped.format(usd), amountToText(usd, locale)])
          expect(parseAmount(text, EVERYTHING, locale)).toEqual({ amountUsd: usd })
      }),
    )
  })

  test('of one language is never silently read as another amount in another language', () => {
    fc.assert(
      fc.property(amounts, locales, locales, (usd, from, to) => {
        const text = new Intl.NumberFormat(from, { useGrouping: 'always' }).format(usd)
        const read = parseAmount(text, EVERYTHING, to)
        expect('readingsUsd' in read ? read.readingsUsd : [Reflect.get(read, 'amountUsd')]).toContain(usd)
      }),
    )
  })
})

test.each([
  ['1', 1],
  ['2.50', 2.5],
  ['0', null],
  ['0.00', null],
  ['1,5', null],
  ['-1', null],
  ['1e3', null],
  ['12345678', null],
  ['', null],
  [null, null],
])('the address parameter %j is read as %j', (value, amountUsd) => {
  expect(amountFromAddress(value)).toBe(amountUsd)
})
