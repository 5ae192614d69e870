import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SPEECH_INPUT_LENGTH_MAX, splitSpeech } from './split-speech'

const bare = (text: string) => text.replace(/\s+/g, '')

test('an empty text gives no pieces', () => {
  expect(splitSpeech(' \n ')).toEqual([])
})

test('a short text is one piece', () => {
  expect(splitSpeech('Hello there. How are you?')).toEqual(['Hello there. How are you?'])
})

describe('a cut', () => {
  const lengths = { first: 20, next: 40 }

  test.each([
    ['at a line, if there is one', 'One two three\nfour five six seven', 'One two three'],
    ['at the end of a sentence', 'One, two, three. Four five six', 'One, two, three.'],
    ['behind what closes the sentence', 'She said “no one.” And he left.', 'She said “no one.”'],
    ['at a comma before a space', 'One two three, four five six', 'One two three,'],
    ['at a space', 'One two three four five six seven', 'One two three four'],
    ['anywhere, if it must be', 'abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrst'],
    [
      'at the end of a Chinese sentence',
      '今天天气非常好我们走吧。然后我们一起回家吃饭睡觉。',
      '今天天气非常好我们走吧。',
    ],
  ])('is made %s', (_, text, first) => {
    expect(splitSpeech(text, lengths)[0]).toBe(first)
  })

  test('never splits a surrogate pair', () => {
    expect(splitSpeech('👍'.repeat(20), { first: 9, next: 9 })[0]).toBe('👍'.repeat(4))
  })
})

test('pieces are bounded, the first one is short, and no character is lost', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('word', 'a', '. ', ', ', ' ', '\n', '。', '👍', 'Verylongwordwithoutend', '?” '),
        { maxLength: 400 },
      ),
      fc.integer({ min: 2, max: 60 }),
      fc.integer({ min: 2, max: 200 }),
      (parts, first, next) => {
        const text = parts.join('')
        const pieces = splitSpeech(text, { first, next })
        expect(bare(pieces.join(''))).toBe(bare(text))
        expect(pieces.every(piece => piece.length > 0 && piece.trim() === piece)).toBe(true)
        expect(pieces[0]?.length ?? 0).toBeLessThanOrEqual(first)
        expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(Math.max(first, next))
      },
    ),
  )
})

test('no requested length exceeds the limit of a request', () => {
  const pieces = splitSpeech('word '.repeat(4_000), { first: 10_000, next: 10_000 })
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(SPEECH_INPUT_LENGTH_MAX)
})
