import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { Lexer, Tokenizer } from 'marked'
import { copyLinks, lexMarkdown } from './bounded-lexer'

const read = (text: string) => lexMarkdown(text, copyLinks({}))

test('the rows of what is no table are not read for each of its lines', () => {
  const tables = jest.spyOn(Tokenizer.prototype, 'table')
  const text = '|\n-|\n'.repeat(200)
  expect(
    read(text)
      .map(({ raw }) => raw)
      .join(''),
  ).toBe(text)
  const lineCounts = tables.mock.calls.map(([source]) => source.split('\n').length)
  tables.mockRestore()
  expect(lineCounts.length).toBeGreaterThan(0)
  expect(Math.max(...lineCounts)).toBe(2)
})

test.each(['* ', '-\t', '1. ', '- > '])(
  'a line of many marks %j is no list, and ends the one before it',
  mark => {
    const [before, line, behind] = ['- x\n', `1. ${mark.repeat(64)}a\nb\n\n`, '- y\n  - z']
    const tokens = read(before + line + behind)
    expect(tokens.map(({ type }) => type)).toEqual(['list', 'paragraph', 'space', 'list'])
    expect(tokens.map(({ raw }) => raw).join('')).toBe(before + line + behind)
    expect(read(`${mark.repeat(20)}a\nb`)[0]?.type).toBe('list')
  },
)

test('a line without marks belongs to the innermost quotation, which is not read for each one around it', () => {
  const quotations = jest.spyOn(Tokenizer.prototype, 'blockquote')
  for (const depth of [3, 15, 100]) {
    const text = `${'> '.repeat(depth)}a\nb`
    const tokens = read(text)
    expect(tokens.map(({ type, raw }) => ({ type, raw }))).toEqual([{ type: 'blockquote', raw: text }])
    if (depth < 16) expect(tokens).toEqual([...new Lexer({ gfm: true }).lex(text)])
  }
  const lengths = quotations.mock.calls.map(([source]) => source.length)
  quotations.mockRestore()
  expect(lengths.filter(length => length > 150).length).toBeLessThan(200)
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

test('a table whose rows leave nearly all cells out is text, since marked would fill them up', () => {
  const table = (columnCount: number, rows: string) =>
    `${'|a'.repeat(columnCount)}|\n${'|-'.repeat(columnCount)}|\n${rows}`
  const typesOf = (text: string) => read(text).map(({ type }) => type)
  expect(typesOf(table(100, '|\n'.repeat(100)))).toEqual(['paragraph'])
  expect(typesOf(table(10, '|\n'.repeat(8)))).toEqual(['table'])
  expect(typesOf(table(100, `${'|'.repeat(101)}\n`.repeat(100)))).toEqual(['table'])
})
