import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Token } from 'marked'
import { copyLinks, isList, isTable, lexMarkdown } from './bounded-lexer'
import { closeOpenMarks } from './close-marks'

const LINKS = copyLinks({})
const HEAD = '| a | b |\n|---|---|\n'

/** The last block of this text, closed. */
function closed(text: string, growing = true): Token {
  const last = lexMarkdown(text, LINKS).findLast(({ type }) => type !== 'space')
  if (!last) throw new Error('There is no block.')
  return closeOpenMarks(last, LINKS, growing)
}

/** What a reader sees of a block, without its white space, or words that are not seen. */
function visible(token: Token): string {
  if (isList(token)) return token.items.flatMap(({ tokens }) => tokens.map(visible)).join('')
  if (isTable(token)) return [token.header, ...token.rows].flat().flatMap(cellTexts).join('')
  if ('tokens' in token && token.tokens) return token.tokens.map(visible).join('')
  return ('text' in token && typeof token.text === 'string' ? token.text : '').replace(/[\s\u2060]/g, '')
}

const cellTexts = ({ tokens }: { tokens: Token[] }) => tokens.map(visible)

describe('marks at the end of a text that breaks off', () => {
  test.each([
    ['a **b', 'a **b**'],
    ['a **b*', 'a **b**'],
    ['a *b **c', 'a *b **c***'],
    ['**_both', '**_both_**'],
    ['a ``b`', 'a ``b``'],
    ['**a `b', '**a `b`**'],
    ['`a[0', '`a[0`'],
    ['~~a~', '~~a~~'],
    ['a [b](https://example.org/c_(d', 'a b'],
    ['a ![b', 'a b'],
    ['[**a', '**a**'],
    ['# **a', '# **a**'],
    ['> - x\n> - `y', '> - x\n> - `y`'],
    ['1. a\n   - **b', '1. a\n   - **b**'],
    [`${HEAD}| **b`, `${HEAD}| **b**`],
    [`${HEAD}| c | [d](`, `${HEAD}| c | d`],
  ])('%j is read as %j', (text, expected) => {
    expect(closed(text).raw).toBe(expected)
  })

  test.each([
    ['a **', 'a'],
    ['- **', '-'],
    ['a `', 'a'],
    ['- a\n-', '- a'],
    ['Of two:\n-', 'Of two:'],
    ['1. a\n   -', '1. a'],
    ['so \\(a^2 + b', 'so'],
    ['so \\(a^2\\', 'so'],
    ['so \\[\n\\frac{a}{b}', 'so'],
    ['- **a \\(b', '- **a**'],
    ['so \\[\na \\\\[4pt] b', 'so'],
    ['*\\(a', ''],
  ])('in %j they open nothing yet, and what is shown is %j', (text, expected) => {
    expect(closed(text).raw).toBe(expected)
  })

  test.each([
    'costs $5 and $10',
    'so \\(a\\) is \\[b\\]',
    '`\\(` opens a formula',
    'a\\\\(b',
    `so \\(${'a '.repeat(200)}a`,
    'In C:\\(x86) there is one',
    '\\[Note: these are words',
    '\\[Your Name\\',
    '2 * 3 and snake_case',
    '**a** and `b`',
    'a \\**b\\*',
    `[${'a word '.repeat(20)}`,
    '```js\nlet a = `b',
    `${HEAD}| **a |`,
    'a **b** [c](https://example.org)',
    // Without the bracket or the backtick, the words would begin a block of their own, which may not show them.
    '[1. a](#b',
    'Of two:\n[- a](#b',
    '> a\n> [- b',
    '- a\n[* b',
    '```a``',
  ])('%j stays as it is', text => {
    expect(closed(text).raw).toBe(text)
  })

  test.each([
    ['1. a\n   - ', '\\(b'],
    ['> a\n> - ', '\\(b'],
    ['- a\n  1. ', '\\(b'],
    ['- a\n- ', '**\\(b'],
    ['- a\n  - ', '**'],
  ])('an item, as in %j, stays one while its first words are left out: %j', (item, words) => {
    const shape = ({ type, ...token }: Token): unknown => {
      const inner = 'items' in token ? token.items : 'tokens' in token ? token.tokens : []
      return [type, type === 'text' ? [] : inner?.map(shape)]
    }
    expect(shape(closed(item + words))).toEqual(shape(closed(`${item}b`)))
  })

  test('a formula that will not be finished is shown as it was written', () => {
    expect(closed('so \\(a^2 + b', false).raw).toBe('so \\(a^2 + b')
  })

  test('a table is known by the beginning of its second line', () => {
    for (const begun of ['|', '| ', '|:', '|:-', '|:-|'])
      expect(closed(`| a | b\\|c |\n${begun}`).raw).toBe('| a | b\\|c |\n|-|-|')
    expect(closed('a | b\n-').raw).toBe('a | b')
  })

  test.each([
    ['| a', '| a |\n|-|'],
    ['| a |', '| a |\n|-|'],
    ['| a | **b', '| a | **b** |\n|-|-|'],
    ['| a | `b', '| a | `b` |\n|-|-|'],
    ['| a | [b](https://exa', '| a | b |\n|-|-|'],
    ['| a | b\\|', '| a | b\\| |\n|-|-|'],
    ['| a | b |', '| a | b |\n|-|-|'],
  ])('a line that begins as a table’s first is one already: %j', (text, expected) => {
    expect(closed(text)).toMatchObject({ type: 'table', raw: expected })
  })

  test.each([
    ['$$', ''],
    ['$$a = b', 'a = b'],
    ['$$a = b$', 'a = b'],
    ['\\[a_1 +\nb\\', 'a_1 +\nb'],
  ])('a formula that has begun in %j is %j', (text, expected) => {
    expect(closed(text)).toMatchObject({ type: 'math', text: expected, isDisplay: true, isOpen: true })
  })

  test.each(['$$ are two dollars', '$5 and more', '$$a$$ and *b*', '\\(a'])('%j is none', text => {
    expect(closed(text).type).toBe('paragraph')
  })

  test.each(['|', '|x| is a length', '| a | b |\nand words', 'a\n| b | c'])('%j begins no table', text => {
    expect(closed(text)).toMatchObject({ type: 'paragraph', raw: text })
  })
})

const word = fc.stringMatching(/^[a-z]{1,8}$/)
const leaf = fc.oneof(
  word,
  word.map(code => `\`${code}\``),
  fc.tuple(word, word).map(([one, other]) => `[${one} **${other}**](https://example.org/a_b)`),
)
const sequence = (piece: fc.Arbitrary<string>) =>
  fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join(' '))
/** Marks of one kind are not in each other, and have words between them: otherwise marked itself reads them variously. */
const marked = (marks: readonly string[], inner: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(...marks), word, sequence(inner))
    .map(([mark, around, words]) => `${mark}${around} ${words} ${around}${mark}`)
const slanted = marked(['*', '_', '***', '__'], leaf)
const inline = sequence(
  fc.oneof(
    leaf,
    slanted,
    marked(['**', '~~'], fc.oneof(leaf, marked(['_'], leaf))),
    marked(['~~'], fc.oneof(leaf, slanted)),
  ),
)
const opening = fc.constantFrom(
  '',
  '# ',
  '- ',
  '1. a\n   - ',
  '> ',
  '> - a\n> - ',
  '| a | ',
  HEAD,
  `${HEAD}| a | b |\n| a | `,
)

test('wherever a text breaks off, what is seen is how the whole begins, without a mark', () => {
  fc.assert(
    fc.property(opening, inline, fc.nat(), (before, words, cut) => {
      const text = before + words
      const begun = text.slice(0, before.length + 1 + (cut % words.length))
      // Only what follows tells a link from words in brackets.
      fc.pre(!begun.endsWith(']'))
      const seen = visible(closed(begun))
      expect(seen).not.toMatch(/[*_~`[\]]/)
      expect(visible(closed(text)).startsWith(seen)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
