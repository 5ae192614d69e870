import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatApproximateMoney, formatBalance, formatMoney } from './format-money'

describe('amounts of money', () => {
  test.each(['', 'NaN', 'a dollar', '1e9', Number.NaN, Number.POSITIVE_INFINITY])(
    'show %j as nothing',
    usd => {
      expect(formatMoney(usd, 'en')).toBe('$0.00')
    },
  )

  test.each([
    ['0.00042', '$0.00042'],
    ['0.000000001', '$0.000000001'],
    ['1.5', '$1.50'],
    ['1234.5', '$1,234.50'],
    [0.1, '$0.10'],
  ])('%s dollars are written exactly: %s', (usd, text) => {
    expect(formatMoney(usd, 'en')).toBe(text)
  })

  test('no digit of a nano-dollar is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 15 }), nano => {
        const text = `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, '0')}`
        expect(Number(formatMoney(text, 'en').replace(/[$,]/g, ''))).toBe(Number(text))
      }),
    )
  })

  test('other languages put the sign and the comma where they belong', () => {
    expect(formatMoney('0.00042', 'de')).toBe('0,00042\u00a0$')
  })
})

describe('a balance', () => {
  test.each([
    [0.99989, '$0.9998'],
    [0.00009, '$0.00'],
    [12, '$12.00'],
    [0, '$0.00'],
  ])('%s is rounded down to %s', (usd, text) => {
    expect(formatBalance(usd, 'en')).toBe(text)
  })
})

describe('an approximate amount', () => {
  test.each([
    [0, '$0.00'],
    [0.5, '$0.50'],
    [1.239, '$1.24'],
    [0.0999, '$0.10'],
    [0.00142, '$0.0014'],
    [0.000000012, '$0.000000012'],
    [0.00000000001, '$0.00'],
  ])('%s keeps two digits: %s', (usd, text) => {
    expect(formatApproximateMoney(usd, 'en')).toBe(text)
  })
})
