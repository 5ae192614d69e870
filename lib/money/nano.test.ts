import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add, compare, formatDecimal, multiply, parseDecimal } from './decimal'
import { ceilToNano, floorToNano, formatUsd, NANO_PER_USD, parseNano } from './nano'

const decimalText = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 20 }))
  .map(([negative, coefficient, scale]) =>
    formatDecimal({ coefficient: negative ? -coefficient : coefficient, scale }),
  )

function decimal(text: string) {
  const parsed = parseDecimal(text)
  if (!parsed) throw new Error(`not a decimal: ${text}`)
  return parsed
}

describe('decimals', () => {
  test.each([
    '',
    ' ',
    '.',
    '-',
    'NaN',
    'Infinity',
    '1e309',
    '1e-99',
    '0x10',
    '1,5',
    '1 2',
    '--1',
    '1e',
    `1${'0'.repeat(80)}`,
  ])('refuses %j', text => {
    expect(parseDecimal(text)).toBeNull()
  })

  test.each([
    ['0.00000015', '0.00000015'],
    ['1.5e-7', '0.00000015'],
    ['1E3', '1000'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-1', '-1'],
    ['-0', '0'],
    ['0.10', '0.1'],
  ])('reads %s as %s', (text, formatted) => {
    expect(formatDecimal(decimal(text))).toBe(formatted)
  })

  test('are the same after a round trip through text', () => {
    fc.assert(fc.property(decimalText, text => formatDecimal(decimal(text)) === text))
  })

  test('add and multiply without losing a digit', () => {
    fc.assert(
      fc.property(decimalText, decimalText, decimalText, (a, b, c) => {
        const left = multiply(decimal(a), add(decimal(b), decimal(c)))
        const right = add(multiply(decimal(a), decimal(b)), multiply(decimal(a), decimal(c)))
        expect(compare(left, right)).toBe(0)
      }),
    )
  })
})

describe('nano-dollars', () => {
  test('a charge is rounded up to the next nano-dollar, and a whole one stays', () => {
    expect(ceilToNano(decimal('0.0000000001'))).toBe(1n)
    expect(ceilToNano(decimal('0.000000001'))).toBe(1n)
    expect(ceilToNano(decimal('0.0000000011'))).toBe(2n)
    expect(ceilToNano(decimal('0'))).toBe(0n)
  })

  test('rounding up and down enclose the exact value by less than one nano-dollar', () => {
    fc.assert(
      fc.property(decimalText, text => {
        const exact = decimal(text)
        const above = ceilToNano(exact)
        const below = floorToNano(exact)
        expect(above - below).toBe(compare(exact, { coefficient: below, scale: 9 }) === 0 ? 0n : 1n)
      }),
    )
  })

  test('amounts finer than a nano-dollar, negative or malformed are refused', () => {
    expect(parseNano('0.0000000001')).toBeNull()
    expect(parseNano('-1')).toBeNull()
    expect(parseNano('a dollar')).toBeNull()
    expect(parseNano('1.25')).toBe((NANO_PER_USD * 5n) / 4n)
  })

  test('dollars are the same after a round trip through text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), nano => parseNano(formatUsd(nano)) === nano),
    )
  })
})
