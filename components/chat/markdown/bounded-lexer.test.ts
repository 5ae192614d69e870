import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Lexer } from 'marked'
import { copyLinks, lexMarkdown } from './bounded-lexer'

const read = (text: string) => lexMarkdown(text, copyLinks({}))

test('lines that nearly make a table are read in a moment', () => {
  const text = '|\n-|\n'.repeat(12_000)
  const before = process.cpuUsage()
  const tokens = read(text)
  const { user, system } = process.cpuUsage(before)
  expect(tokens.map(({ raw }) => raw).join('')).toBe(text)
  // In microseconds. It took six and a half seconds.
  expect(user + system).toBeLessThan(3_000_000)
})

const LINES = [
  ...['|', '-|', '| a |', '|---|', '| a | b |', '|--|:-:|', 'a | b', '- | -', '--', '==', '\\| a', ' | '],
  ...['a', '', '- x', '> q', '# h', '***', '    code', '```', '1. a', '<div>'],
]

test('tables and paragraphs are what they are to marked', () => {
  const texts = fc.array(fc.constantFrom(...LINES), { maxLength: 14 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(texts, text => {
      expect(read(text)).toEqual([...new Lexer({ gfm: true }).lex(text)])
    }),
    { numRuns: 500 },
  )
})
