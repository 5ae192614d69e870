import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { cutText } from './cut-text'

test('a text is cut between characters, and never longer than allowed', () => {
  expect(cutText('ab', 2)).toBe('ab')
  expect(cutText('a🪙b', 2)).toBe('a')
  expect(cutText('🪙b'.slice(1), 2)).toBe('b')
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.nat(20), (text, lengthMax) => {
      const cut = cutText(text, lengthMax)
      expect(cut.length).toBeLessThanOrEqual(lengthMax)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, lengthMax) - 1)
      expect(text.startsWith(cut)).toBe(true)
    }),
  )
})
