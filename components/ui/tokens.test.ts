import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

/** WCAG 2.2 for text and for lines that carry meaning; higher for people who ask the system for more contrast. */
const CONTRASTS_MIN = { usual: { text: 4.5, line: 3 }, more: { text: 7, line: 4.5 } } as const

const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const [usual = '', more = ''] = tokens.split('@media (prefers-contrast: more)')
const PAPERS = ['paper', 'paper-raised', 'paper-sunken'] as const

function colour(name: string, theme: 'light' | 'dark', wanted: keyof typeof CONTRASTS_MIN): string {
  const pattern = new RegExp(`--color-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`)
  const match = (wanted === 'more' && pattern.exec(more)) || pattern.exec(usual)
  const value = theme === 'light' ? match?.[1] : match?.[2]
  if (!value) throw new Error(`no colour ${name}`)
  return value
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(start => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(left: string, right: string): number {
  const [dark = 0, light = 0] = [luminance(left), luminance(right)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const textPairs = [
  ...['ink', 'ink-soft', 'ink-faint', 'copper', 'copper-strong', 'danger', 'success'].flatMap(text =>
    PAPERS.map(paper => [text, paper] as const),
  ),
  ...['comment', 'keyword', 'string', 'number', 'name'].map(
    part => [`code-${part}`, 'paper-sunken'] as const,
  ),
  ['on-copper', 'copper'],
  ['on-copper', 'copper-strong'],
  ['on-danger', 'danger'],
  ['ink', 'copper-soft'],
  ['ink-soft', 'copper-soft'],
  ['copper', 'copper-soft'],
  ['copper-strong', 'copper-soft'],
  ['danger', 'danger-soft'],
  ['success', 'success-soft'],
  ['ink-soft', 'danger-soft'],
  ['ink-soft', 'success-soft'],
] as const

describe.each([
  ['light', 'usual'],
  ['dark', 'usual'],
  ['light', 'more'],
  ['dark', 'more'],
] as const)('the colours of the %s theme with contrast %s', (theme, wanted) => {
  const between = (left: string, right: string) =>
    contrast(colour(left, theme, wanted), colour(right, theme, wanted))

  test.each(textPairs)('text in %s is readable on %s', (text, paper) => {
    expect(between(text, paper)).toBeGreaterThanOrEqual(CONTRASTS_MIN[wanted].text)
  })

  test.each(PAPERS)('the outline of a control is visible on %s', paper => {
    expect(between('line-strong', paper)).toBeGreaterThanOrEqual(CONTRASTS_MIN[wanted].line)
  })
})

const STYLESHEET_IMPORT = /import (\w+) from '(@\/|\.\/)(.+\.module\.css)'/g

/** Class names that the stylesheet lacks; the compiler accepts any string for them. */
function unknownClasses(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  return [...source.matchAll(STYLESHEET_IMPORT)].flatMap(([line, name = '', from, file = '']) => {
    const sheet = readFileSync(from === '@/' ? file : join(dirname(path), file), 'utf8')
    const known = new Set([...sheet.matchAll(/\.([\w-]+)/g)].map(match => match[1]))
    const used = [...source.replaceAll(line, '').matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))]
    return used.filter(([, one]) => !known.has(one)).map(([text]) => `${text} of ${path}`)
  })
}

test('every class that a component uses exists in its stylesheet', () => {
  const paths = readdirSync('components', { recursive: true, encoding: 'utf8' })
  const components = paths.filter(path => path.endsWith('.tsx')).map(path => join('components', path))
  expect(components.flatMap(unknownClasses)).toEqual([])
})

test('no underline is lost in Safari, which understands its style and colour only with a prefix', () => {
  // A declaration with a variable is always taken, and replaces the prefixed one that the build writes before it.
  const sheets = readdirSync('components', { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.css'),
  )
  const lost = sheets.filter(path =>
    /\btext-decoration:[^;]*\s[^;]*var\(/.test(readFileSync(join('components', path), 'utf8')),
  )
  expect(lost).toEqual([])
})
