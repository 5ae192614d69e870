import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { utf8ByteCount } from './bound-prompt'
import { estimateTokens } from './estimate-tokens'

test.each([
  ['', 0],
  ['a', 1],
  ['The quick brown fox jumps over the lazy dog.', 11],
  ['Übergrößenträger', 5],
  ['привет', 3],
  ['今日は', 3],
  ['🪙', 2],
])('%j is about %s tokens', (text, expected) => {
  expect(estimateTokens(text)).toBe(expected)
})

test('a count lies between nothing and the bytes, and adds up', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      const whole = estimateTokens(`${left} ${right}`)
      const parts = estimateTokens(left) + estimateTokens(right)
      return whole <= utf8ByteCount(`${left} ${right}`) && whole <= parts + 1 && whole >= parts - 2
    }),
  )
})
