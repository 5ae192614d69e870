import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Token } from 'marked'
import { BlockReader, type MarkdownBlock } from './block-reader'
import { lexMarkdown } from './bounded-lexer'
import { isMath, MATH_EXTENSIONS } from './math-syntax'

const createReader = () => new BlockReader((block: MarkdownBlock) => block)

function formulasIn(text: string) {
  const found: string[] = []
  const visit = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (isMath(token)) found.push(`${token.isDisplay ? 'display' : 'inline'} ${token.text}`)
      if ('tokens' in token && token.tokens) visit(token.tokens)
      if ('items' in token && Array.isArray(token.items)) visit(token.items)
    }
  }
  visit(lexMarkdown(text, {}))
  return found
}

describe('dollar signs that do not make a formula', () => {
  test.each([
    '$5 and $10',
    'between $5 and $10, or $20-$30',
    'It costs $5, or $6 with tax.',
    '$5/$10 and US$5 (A$7)',
    '$3.50–$4.00 each; $12 the dozen$',
    'set $HOME and $PATH',
    '$HOME/bin:$PATH',
    'from $cheap goods to dear ones$ it goes',
    'a single $ and another $ sign',
    '$$ is what I paid, $$',
    '`$x$` and `\\(x\\)`',
    '```\n$$\nx\n$$\n```',
    'a \\$5 and \\$6',
    '$$',
    '$$$$',
    '\\(\\)',
  ])('%s', text => {
    expect(formulasIn(text)).toEqual([])
  })

  test('amounts of money with any words between them', () => {
    const amount = fc.nat({ max: 99_999 }).map(cents => `$${(cents / 100).toFixed(2)}`)
    const word = fc.constantFrom('and', 'or', 'to', 'plus', 'then', 'versus')
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, word), { maxLength: 6 }), amount, (pairs, last) => {
        const text = `${pairs.flat().join(' ')} ${last}`
        expect(formulasIn(text)).toEqual([])
      }),
    )
  })
})

describe('a formula', () => {
  test.each([
    ['so $x$ is', 'inline x'],
    ['$2x + 1 = 5$', 'inline 2x + 1 = 5'],
    ['there are $3$ ways', 'inline 3'],
    ['$E=mc^2$, which', 'inline E=mc^2'],
    ['$\\text{rate of change} = 5\\$$', 'inline \\text{rate of change} = 5\\$'],
    ['so \\(a_1 * b_2\\) is', 'inline a_1 * b_2'],
    ['so \\[x\\] is', 'display x'],
    ['so $$x$$ is', 'display x'],
    ['$$x$$', 'display x'],
    ['text before\n$$\nx\n\ny\n$$\ntext after', 'display x\n\ny'],
    ['\\[\n\\frac{1}{2}\n\\]', 'display \\frac{1}{2}'],
    ['- one\n\n  $$\n  x\n  $$\n- two', 'display x'],
    ['> $$x$$', 'display x'],
    ['| a |\n|---|\n| $x$ |', ''],
  ])('%j', (text, formula) => {
    expect(formulasIn(text)).toEqual(formula === '' ? [] : [formula])
  })

  test('that is still being written is one formula, blank lines included', () => {
    const [token] = lexMarkdown('$$\n\\begin{aligned}\na\n\nb', {})
    expect(token).toMatchObject({ type: 'math', isOpen: true, text: '\\begin{aligned}\na\n\nb' })
  })

  test('is read the same wherever its stream was cut', () => {
    const text = 'First:\n\n$$\n\\int_0^1 x\\,dx\n\n= 1\n$$\n\nthen \\(y\\) and\n\\[\nz\n\\]\nand $w$ for $5.'
    const whole = JSON.stringify(createReader().read(text, false).flat())
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length })), cuts => {
        const reader = createReader()
        for (const cut of cuts.sort((left, right) => left - right)) reader.read(text.slice(0, cut), true)
        expect(JSON.stringify(reader.read(text, false).flat().map(withoutKey))).toBe(
          JSON.stringify(JSON.parse(whole).map(withoutKey)),
        )
      }),
    )
  })

  test('any text is read without losing a character', () => {
    const piece = fc.constantFrom('$', '$$', '\\(', '\\)', '\\[', '\\]', 'x', ' ', '\n', '5', '*', '_', '\\')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        const text = pieces.join('')
        const raw = lexMarkdown(text, {})
          .map(token => token.raw)
          .join('')
        expect(raw.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
      }),
    )
  })
})

function withoutKey({ token }: { token: Token }) {
  return { type: token.type, raw: token.raw.trimEnd() }
}

describe('a paragraph is cut where a formula begins on a line of its own, and nowhere else', () => {
  test.each([
    ['a\n$$x^2$$', ['paragraph', 'math']],
    ['a\n\\[\nx\n\\]', ['paragraph', 'math']],
    ['a$$x^2$$', ['paragraph']],
    ['a\n$$x$$ b', ['paragraph']],
    ['a\n$$ b\n\\[ c', ['paragraph']],
  ])('%j', (text, types) => {
    expect(lexMarkdown(text, {}).map(({ type }) => type)).toEqual(types)
  })
})

test.each(['$$a\n', '\\[a\n', '$$ a b\n'])(
  'thousands of lines %j, which begin no formula, are one paragraph',
  line => {
    const rests: string[] = []
    MATH_EXTENSIONS.startBlock.push(rest => {
      rests.push(rest)
      return undefined
    })
    try {
      const text = line.repeat(5_000)
      expect(lexMarkdown(text, {})).toMatchObject([{ type: 'paragraph', raw: text }])
      // Where a formula could begin is asked once for each paragraph, and each time takes reading the rest.
      expect(rests).toHaveLength(1)
    } finally {
      MATH_EXTENSIONS.startBlock.pop()
    }
  },
)

test('a formula after the paragraph is not searched for, as it would be again for the next one', () => {
  const [findStart] = MATH_EXTENSIONS.startBlock
  expect(findStart?.('a\n$$x$$')).toBe(2)
  expect(findStart?.('a\n \n$$x$$')).toBeUndefined()
})

test('a formula is searched for at the beginning of a paragraph only, as thousands of others may follow it', () => {
  const [findStart] = MATH_EXTENSIONS.startBlock
  expect(findStart?.(`${'a\n'.repeat(2_400)}$$x$$`)).toBe(4_800)
  expect(findStart?.(`${'a\n'.repeat(2_600)}$$x$$`)).toBeUndefined()
})

test.each([
  ['$', '$', 400],
  ['$$', '$$', 5_000],
  ['\\(', '\\)', 5_000],
  ['$$\n', '\n$$', 5_000],
])('between %j and %j a formula ends within %i characters', (opening, closing, longest) => {
  const withLength = (length: number) =>
    `${opening}${'x'.repeat(length - opening.length - closing.length)}${closing}`
  expect(formulasIn(withLength(longest))).toHaveLength(1)
  expect(formulasIn(withLength(longest + 1))).toEqual([])
})
