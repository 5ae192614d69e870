import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { jsonByteCountMax, readByteCountMax, utf8ByteCount } from './text-bytes'

const text = fc.string({ unit: anyCharacter })

test('bytes are counted like TextEncoder does', () => {
  fc.assert(fc.property(text, some => utf8ByteCount(some) === Buffer.byteLength(some)))
  // A lone surrogate is written as the three bytes of U+FFFD.
  expect(utf8ByteCount('\ud800a\udc00')).toBe(7)
})

test('bytes of a text longer than one slice are exact, also with surrogate pairs at the cut', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.constantFrom('a', 'é', 'न', '🪙'), (shift, character) => {
      const long = 'x'.repeat(shift) + character.repeat(50_000)
      return utf8ByteCount(long) === Buffer.byteLength(long)
    }),
    { numRuns: 20 },
  )
})

test('no JSON encoder writes more bytes than the bound', () => {
  const escaped = (some: string) =>
    JSON.stringify(some).replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  fc.assert(
    fc.property(text, some => {
      const bound = jsonByteCountMax(some)
      return bound >= utf8ByteCount(JSON.stringify(some)) - 2 && bound >= escaped(some).length - 2
    }),
  )
  expect(jsonByteCountMax('a"\\\n\u00e9')).toBe(1 + 2 + 2 + 6 + 6)
  expect(jsonByteCountMax('x'.repeat(1_048_576))).toBe(1_048_576)
  expect(jsonByteCountMax('x'.repeat(1_048_577))).toBeGreaterThan(6_000_000)
})

describe('a text that a tokenizer normalises first', () => {
  const formsOf = (some: string) => [some, some.normalize('NFC'), some.normalize('NFKC')]
  const longestOf = (some: string) => Math.max(...formsOf(some).map(form => Buffer.byteLength(form)))
  const growing = [
    '\ufdfa',
    '\u{1d160}',
    '\u0958',
    '\u{1f240}',
    '\u3316',
    '½',
    '\u022c',
    '\u0323',
    '\u0304',
    'a',
    '각',
  ]

  test('is never longer than the bound in any normal form', () => {
    const some = fc.string({ unit: fc.constantFrom(...growing) })
    fc.assert(fc.property(fc.oneof(text, some), each => readByteCountMax(each) >= longestOf(each)))
  })

  test('is never longer than the bound inside JSON either', () => {
    const some = fc.string({ unit: fc.constantFrom(...growing) })
    fc.assert(fc.property(some, each => jsonByteCountMax(each) >= longestOf(each)))
    expect(jsonByteCountMax('\ufdfa'.repeat(1_048_577))).toBeGreaterThanOrEqual(33 * 1_048_577)
  })

  test('is bounded by its bytes if it has only one form', () => {
    for (const some of ['Привет, мир', '안녕하세요', '今日は', 'Grüße à tous', 'नमस्ते', '🪙🎉'])
      expect(readByteCountMax(some)).toBe(Buffer.byteLength(some))
  })
})
