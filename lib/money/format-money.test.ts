import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  formatApproximateMoney,
  formatMoney,
  type RoundMoney,
  roundBalance,
  roundMoney,
} from './format-money'

describe('amounts of money', () => {
  test.each(['', 'NaN', 'a dollar', '1e9', Number.NaN, Number.POSITIVE_INFINITY])('show %j as zero', usd => {
    expect(formatMoney(usd, 'en')).toBe('$0.00')
  })

  test.each([
    ['0.00042', '$0.00042'],
    ['0.000000001', '$0.000000001'],
    ['1.5', '$1.50'],
    ['1234.5', '$1,234.50'],
    [0.1, '$0.10'],
  ])('%s dollars are written exactly: %s', (usd, text) => {
    expect(formatMoney(usd, 'en')).toBe(text)
  })

  test('show every digit of a nano-dollar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 15 }), nano => {
        const text = `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, '0')}`
        expect(Number(formatMoney(text, 'en').replace(/[$,]/g, ''))).toBe(Number(text))
      }),
    )
  })

  test('have sign and decimal comma as in other languages', () => {
    expect(formatMoney('0.00042', 'de')).toBe('0,00042\u00a0$')
  })
})

describe('a rounded amount', () => {
  test.each([
    [0, 'dollar', '$0.00'],
    ['0.000044', 'cent', '0.0044'],
    [4.4e-7, 'cent', '0.000044'],
    ['0.000000001', 'cent', '0.0000001'],
    [0.01, 'cent', '1'],
    [0.07, 'cent', '7'],
    [0.1437, 'cent', '14'],
    [0.994, 'cent', '99'],
    [0.996, 'dollar', '$1.00'],
    [1.4, 'dollar', '$1.40'],
    ['1234.567', 'dollar', '$1,234.57'],
    [-0.000044, 'cent', '-0.0044'],
  ] as const)('%s dollars are %s: %s', (usd, unit, text) => {
    expect(roundMoney(usd, 'en')).toMatchObject({ unit, text })
  })

  test('has the decimal comma of other languages', () => {
    expect(roundMoney('0.000044', 'de').text).toBe('0,0044')
  })

  const amount = fc.integer({ min: 0, max: 10 ** 12 })
  const usdOf = (nano: number) => `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, '0')}`
  const nanoOf = (money: RoundMoney) =>
    money.unit === 'cent' ? money.count * 1e7 : Number(money.text.replace(/[$,]/g, '')) * 1e9

  test('is exact to its second digit', () => {
    fc.assert(
      fc.property(amount, nano => {
        expect(Math.abs(nanoOf(roundMoney(usdOf(nano), 'en')) - nano)).toBeLessThanOrEqual(
          nano * 0.0501 + 1e-6,
        )
      }),
    )
  })

  test('has at most two significant digits below a cent', () => {
    fc.assert(
      fc.property(amount, nano => {
        const { unit, text } = roundMoney(usdOf(nano), 'en')
        const digits = text.replace(/\D/g, '').replace(/^0+/, '')
        expect(unit === 'dollar' || (digits.length >= 1 && digits.length <= 2)).toBe(true)
      }),
    )
  })

  test('rounded up and down, never reverses an order', () => {
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        fc.pre(one !== other)
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        const there = nanoOf(roundMoney(usdOf(less), 'en', 'floor'))
        expect(there).toBeLessThan(nanoOf(roundMoney(usdOf(more), 'en', 'ceil')))
      }),
    )
  })
})

describe('a balance', () => {
  test.each([
    [0.99989, '$0.99'],
    [12, '$12.00'],
    [0, '$0.00'],
    [0.01, '$0.01'],
    [0.00999, '0.99'],
    [0.00009, '0.009'],
  ])('%s is rounded down to %s', (usd, text) => {
    expect(roundBalance(usd, 'en').text).toBe(text)
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
