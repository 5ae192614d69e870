import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type FormulaElement, readFormula } from './formula-tree'

function flatten(element: FormulaElement | string | null): FormulaElement[] {
  if (element === null || typeof element === 'string') return []
  return [element, ...element.children.flatMap(flatten)]
}

const textOf = (element: FormulaElement | string): string =>
  typeof element === 'string' ? element : element.children.map(textOf).join('')

describe('a formula', () => {
  test('becomes MathML', () => {
    const root = readFormula('\\frac{x}{2}', true)
    expect(root?.tag).toBe('math')
    expect(flatten(root).map(({ tag }) => tag)).toContain('mfrac')
    expect(root && textOf(root)).toBe('x2')
  })

  test.each(['\\frac{', '\\unknowncommand', '}', '\\begin{aligned}', '&'])(
    'that is not valid TeX (%s) is null',
    tex => {
      expect(readFormula(tex, false)).toBeNull()
    },
  )

  test.each([
    '\\href{javascript:alert(1)}{x}',
    '\\href{https://evil.example}{x}',
    '\\url{https://evil.example}',
    '\\includegraphics{https://evil.example/x.png}',
    '\\style{background:url(https://evil.example)}{x}',
    '\\class{evil}{x}',
    '\\id{evil}{x}',
    '\\data{a=b}{x}',
    '\\htmlStyle{color:red}{x}',
    '\\text{<img src=x onerror=alert(1)>}',
    '\\color{url(https://evil.example)}x',
  ])('%s gets no link, no address and no handler', tex => {
    for (const { tag, attributes, style, className } of flatten(readFormula(tex, true))) {
      expect(tag).toMatch(/^m[a-z]+$|^none$/)
      const written = JSON.stringify({ attributes, style, className })
      expect(written).not.toMatch(/href|src|url|evil|javascript|"on/i)
    }
  })

  test.each([
    '\\def\\a{\\a\\a}\\a',
    '\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c\\c\\c\\c\\c\\c\\c}\\d',
    `\\newcommand{\\many}{${'x'.repeat(250)}}${'\\many '.repeat(15)}`,
    `\\def\\a{${'x'.repeat(40)}}${'\\a'.repeat(45)}`,
    // Deeper than any stack: the converter goes through braces one within the other, and leaves nothing of them.
    `${'{'.repeat(50_000)}x${'}'.repeat(50_000)}`,
    `${'\\sqrt{'.repeat(500)}x${'}'.repeat(500)}`,
  ])('that would grow too large (%.30s) is null', tex => {
    expect(readFormula(tex, true)).toBeNull()
  })

  test('may define its own commands', () => {
    const root = readFormula('\\newcommand{\\ours}{\\mathbb{R}} x \\in \\ours', false)
    expect(root && textOf(root)).toContain('ℝ')
    // A command whose name only begins like a definition.
    expect(readFormula(`\\leftarrow ${'x '.repeat(300)}`, false)).not.toBeNull()
  })

  test('of any text is either read or refused', () => {
    const piece = fc.constantFrom(
      '\\frac',
      '{',
      '}',
      '^',
      '_',
      'x',
      '2',
      '&',
      '\\\\',
      '\\left(',
      '\\right)',
      '\\sum',
      '#',
      '%',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const root = readFormula(pieces.join(''), false)
        expect(root === null || root.tag === 'math').toBe(true)
      }),
    )
  })
})
