import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { anyCharacter } from '@/test/support/any-character'
import { estimateTokens } from './estimate-tokens'
import { utf8ByteCount } from './text-bytes'

test.each([
  ['', 0],
  ['a', 1],
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['Übergrößenträger', 4],
  ['привет', 2],
  ['今日は', 3],
  ['🪙', 2],
])('%j is about %s tokens', (text, expected) => {
  expect(estimateTokens(text)).toBe(expected)
})

const SENTENCES = {
  English: 'Please explain to me how to solve this problem in three ways, and what speaks for each of them.',
  German:
    'Bitte erklären Sie mir, wie ich diese Aufgabe auf drei Weisen löse und was für jede von ihnen spricht.',
  Russian:
    'Пожалуйста, объясните мне, как решить эту задачу тремя способами, и что говорит за каждый из них.',
  Hindi: 'कृपया मुझे बताइए कि मैं इस समस्या को तीन तरीकों से कैसे हल कर सकता हूँ और हर तरीके के क्या लाभ हैं।',
  Chinese: '请告诉我如何用三种不同的方法解决这个问题，并且说明每种方法的优点和缺点，以及你会选择哪一种。',
  JSON: JSON.stringify({
    id: 7042,
    name: 'Anna',
    tags: ['alpha', 'beta'],
    active: true,
    score: 0.8312,
    next: null,
  }),
  numbers: '2026-11-22, 1,204.50, 17, 0.0031, 88,412, 3.14159, 2048, 99.5, 12 345, 7',
  digits: '3.14159265358979323846264338327950288419716939937510',
  code: 'export function add(left: number, right: number): number {\n  return left + right\n}\n',
}

test.each(Object.entries(SENTENCES))(
  'a text in %s is estimated within a quarter of what the tokenizer counts',
  (_, text) => {
    const counted = encode(text).length
    expect(estimateTokens(text)).toBeGreaterThan(counted * 0.75)
    expect(estimateTokens(text)).toBeLessThan(counted * 1.25)
  },
)

test('a count lies between nothing and the bytes, and adds up', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (left, right) => {
      const whole = estimateTokens(`${left} ${right}`)
      const parts = estimateTokens(left) + estimateTokens(right)
      return whole <= utf8ByteCount(`${left} ${right}`) && whole <= parts + 1 && whole >= parts - 2
    }),
  )
})
