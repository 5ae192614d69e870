import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { splitTokens } from './split-tokens'

test('the pieces join to the text, and none is empty or splits a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const tokens = splitTokens(text)
      return tokens.join('') === text && tokens.every(token => token.length > 0 && token.isWellFormed())
    }),
  )
})

test('a word keeps the space before it, and a long one is cut', () => {
  expect(splitTokens('a bee hippopotamus ')).toEqual(['a', ' bee', ' hippo', 'potamu', 's', ' '])
})
