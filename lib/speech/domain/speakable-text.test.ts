import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { endsInTime } from '@/test/support/ends-in-time'
import { speakableText } from './speakable-text'

const said = (markdown: string) => speakableText(markdown, { code: 'Code is on the screen.' })

describe('Markdown that is not prose', () => {
  test.each([
    ['a code block', 'Look:\n\n```ts\nconst a = 1\n```\n\nDone.', 'Look:\nCode is on the screen.\nDone.'],
    ['a code block that never closes', 'Look:\n~~~\nlet it = be', 'Look:\nCode is on the screen.'],
    [
      'a code block with another kind of fence inside',
      '````\n```\nx\n```\n````\nAfter.',
      'Code is on the screen.\nAfter.',
    ],
    ['a rule', 'One.\n\n---\n\nTwo.', 'One.\nTwo.'],
    ['a definition of a link', 'See [here][1].\n\n[1]: https://example.com', 'See here.'],
    [
      'a table',
      '| coin | value |\n|---|--:|\n| penny | $0.01 |\n| dime |  |',
      'coin: penny, value: $0.01.\ncoin: dime.',
    ],
    ['a word that is no symbol', '$$\n\\constructor + x^2\n$$', 'constructor + x².'],
    ['a formula of its own', '$$\n\\frac{a}{b} \\times x^2\n$$', 'a / b × x².'],
  ])('%s', (_, markdown, text) => {
    expect(said(markdown)).toBe(text)
  })
})

test('a beginning of the requested length is the same as that of the whole text', () => {
  const line = fc.constantFrom('# Why?', '- *one*', '', '```', '| a | b |', '|---|---|', '$$', 'Some words.')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.nat({ max: 200 }), (lines, enough) => {
      const markdown = lines.join('\n')
      const whole = said(markdown)
      const beginning = speakableText(markdown, { code: 'Code is on the screen.' }, enough)
      expect(whole.startsWith(beginning)).toBe(true)
      expect(beginning.length).toBeGreaterThanOrEqual(Math.min(enough, whole.replaceAll('\n', '').length))
    }),
  )
})

test('no more lines are read than needed', () => {
  expect(speakableText('one\ntwo\nthree', { code: '' }, 4)).toBe('one\ntwo')
})

describe('marks', () => {
  test.each([
    ['# A heading', 'A heading.'],
    ['## Why?', 'Why?'],
    ['- first\n- [x] second.\n1. third', 'first.\nsecond.\n1. third'],
    ['> quoted **words**', 'quoted words'],
    [
      '**bold**, *italic*, ***both***, __strong__, _soft_ and ~~gone~~',
      'bold, italic, both, strong, soft and gone',
    ],
    ['`npm *start*` runs', 'npm *start* runs'],
    ['a [link](https://example.com/a_(b) "Title") here', 'a link here'],
    ['![a coin](https://example.com/coin.png)', 'a coin'],
    ['[![badge](u)](v)', 'badge'],
    ['see https://docs.example.com/a/b?c=d#e.', 'see docs.example.com'],
    ['<https://example.com/x>', 'example.com'],
    ['one<br>two &amp; three', 'one two & three'],
    ['2 \\* 3', '2 * 3'],
    ['Einstein: $E = mc^2$, and \\(\\alpha \\leq \\pi\\)', 'Einstein: E = mc², and α ≤ π'],
  ])('%s is spoken as "%s"', (markdown, text) => {
    expect(said(markdown)).toBe(text)
  })

  test.each([
    'It costs $5 and $10 in all.',
    'snake_case_name and 2 * 3 * 4',
    'a < b and c > d',
    'I said: [not a link], and (more).',
    'C:\\Users\\me',
    '~5 km, 100 % sure',
    '1. first',
    'a | b',
  ])('"%s" has no marks and stays unchanged', text => {
    expect(said(text)).toBe(text)
  })
})

const word = fc.stringMatching(/^[\p{L}\p{N}]{1,12}[.,;!?%€]?$/u)
const prose = fc.array(word, { minLength: 1, maxLength: 40 }).map(words => words.join(' '))

test('plain prose loses no character', () => {
  fc.assert(
    fc.property(fc.array(prose, { minLength: 1, maxLength: 6 }), paragraphs => {
      expect(said(paragraphs.join('\n\n'))).toBe(paragraphs.join('\n'))
    }),
  )
})

test('emphasis loses only its marks', () => {
  fc.assert(
    fc.property(prose, prose, fc.constantFrom('*', '**', '_', '__', '~~'), (before, inner, mark) => {
      expect(said(`${before} ${mark}${inner}${mark}`)).toBe(`${before} ${inner}`)
    }),
  )
})

test('any text is read in bounded time', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '*',
          '_',
          '`',
          '$',
          '[',
          '](',
          ')',
          '|',
          '-',
          '\n',
          'a',
          ' ',
          '#',
          '>',
          '\\',
          '<',
          '~',
        ),
      ),
      parts => {
        expect(typeof said(parts.join(''))).toBe('string')
      },
    ),
  )
  for (const unit of ['**a', '[', '`', '$a', '_a ', '| ', '\\[', '> ', '![a](', '<https://', '$$\n', '~~a']) {
    expect(typeof said(unit.repeat(20_000))).toBe('string')
  }
})

test.each([
  ['after a bullet', space => `- ${space}x`],
  ['after a number', space => `1. ${space}x`],
  ['in a heading', space => `# a${space}x`],
  ['in front of what is no divider', space => `a|b\n${space}-x`],
  ['in what is no divider', space => `a|b\n-${space}x`],
] as const satisfies [string, (space: string) => string][])(
  'white space without end %s is read in time',
  (_where, around) => {
    expect(endsInTime(() => said(around(' '.repeat(200_000))))).toContain('x')
  },
)
