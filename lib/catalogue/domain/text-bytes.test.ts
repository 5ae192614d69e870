import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { asciiCharacterCount, jsonByteCountMax, utf8ByteCount } from './text-bytes'

const text = fc.string({ unit: 'binary' })

test('bytes are counted as the encoder counts them', () => {
  fc.assert(fc.property(text, some => utf8ByteCount(some) === new TextEncoder().encode(some).length))
  // A lone surrogate is written as the three bytes of U+FFFD.
  expect(utf8ByteCount('\ud800a\udc00')).toBe(7)
})

test('no encoder of JSON writes more than the bound', () => {
  const escaped = (some: string) =>
    JSON.stringify(some).replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  fc.assert(
    fc.property(text, some => {
      const bound = jsonByteCountMax(some)
      return bound >= utf8ByteCount(JSON.stringify(some)) - 2 && bound >= escaped(some).length - 2
    }),
  )
  expect(jsonByteCountMax('a"\\\n\u00e9')).toBe(1 + 2 + 2 + 6 + 6)
})

test('characters of ASCII are counted as such', () => {
  expect(asciiCharacterCount('Größe 🪙')).toBe(4)
})
