import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { marked, type Token } from 'marked'
import { BlockReader, type MarkdownBlock } from './block-reader'
import { lexMarkdown } from './bounded-lexer'

const CORPUS = [
  '# Title\n\nA paragraph with **bold** and `code`.\nIts second line.\n\n- one\n- two\n\n  still two\n\n1. first\n\n2. second\n\nEnd.',
  '```js\nlet a = 1\n\n\nlet b = 2\n```\n\n> quoted\nlazy\n\n> again\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter',
  'Heading\n===\n\n    indented\n\n    code\n\n***\n\n<div>\nhtml\n</div>\n\ntext\n\n- [x] done\n- [ ] open\n  - nested\n    - deeper\n',
  'windows\r\n\r\nlines\r\n- a\r\n- b\r\n',
]

const createReader = () => new BlockReader((block: MarkdownBlock) => block)

function shape(tokens: readonly Token[]) {
  return tokens.filter(({ type }) => type !== 'space').map(({ type, raw }) => [type, raw.trimEnd()])
}

/** How deep tokens are in each other; an item of a list is one, too. */
function depthOf(tokens: readonly Token[]): number {
  return Math.max(
    0,
    ...tokens.map(token => {
      const items: readonly Token[] =
        'items' in token ? token.items : ('tokens' in token && token.tokens) || []
      return items.length > 0 || 'tokens' in token ? 1 + depthOf(items) : 0
    }),
  )
}

function cutAt(text: string, cuts: readonly number[]) {
  return [...new Set([...cuts.map(cut => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
}

describe('reading a growing text', () => {
  test('does not repair a paragraph that is too dense to be interpreted', () => {
    const last = (text: string) => createReader().read(text, true).flat().at(-1)?.token.raw
    expect(last('one **two')).toBe('one **two**')
    const dense = `${'*a '.repeat(501)}**two`
    expect(last(dense)).toBe(dense)
  })

  test('yields the same blocks as reading it at once, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CORPUS), fc.array(fc.nat({ max: 400 })), (text, cuts) => {
        const reader = createReader()
        for (const cut of cutAt(text, cuts)) reader.read(text.slice(0, cut), true)
        const blocks = reader.read(text, false).flat()
        expect(shape(blocks.map(({ token }) => token))).toEqual(shape(marked.lexer(text)))
      }),
      { numRuns: 300 },
    )
  })

  test('a finished block never changes, whatever text follows', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CORPUS), fc.array(fc.nat({ max: 400 })), (text, cuts) => {
        const reader = createReader()
        const finished = new Map<number, Token>()
        for (const cut of cutAt(text, cuts)) {
          for (const block of reader.read(text.slice(0, cut), true).flat()) {
            if (!block.finished) continue
            expect(finished.get(block.key) ?? block.token).toBe(block.token)
            finished.set(block.key, block.token)
          }
        }
      }),
    )
  })

  test('a text that does not continue the previous one is read from the start', () => {
    const reader = createReader()
    reader.read('first\n\nsecond\n\nthird', true)
    expect(
      shape(
        reader
          .read('other', false)
          .flat()
          .map(({ token }) => token),
      ),
    ).toEqual([['paragraph', 'other']])
  })

  test('earlier states of the text are not kept in memory', () => {
    setFlagsFromString('--expose-gc')
    const heapBytes = () => {
      runInNewContext('gc')()
      return process.memoryUsage().heapUsed
    }
    const reader = createReader()
    const before = heapBytes()
    let text = ''
    for (let index = 0; index < 500; index += 1) {
      text += `${'A paragraph of some words. '.repeat(8)}${index}\n\n`
      reader.read(text, true)
    }
    // The text had 500 intermediate states of 55 kB on average.
    expect(heapBytes() - before).toBeLessThan(10_000_000)
    expect(reader.read(text, true).flat().length).toBeGreaterThan(500)
  })

  test('a long list is split into finished blocks and keeps its numbers', () => {
    const reader = createReader()
    const lines = Array.from(
      { length: 200 },
      (_, index) => `${index + 1}. item number ${index + 1} of many\n`,
    )
    let text = ''
    for (const line of lines) {
      text += line
      reader.read(text, true)
    }
    const blocks = reader.read(text, false).flat()
    expect(blocks.length).toBeGreaterThan(1)
    const starts = blocks.map(({ token }) => ('start' in token ? token.start : null))
    const counts = blocks.map(({ token }) => ('items' in token && token.items ? token.items.length : 0))
    const expected = counts.map(
      (_, index) => 1 + counts.slice(0, index).reduce((sum, count) => sum + count, 0),
    )
    expect(starts).toEqual(expected)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200)
  })

  test('unfinished emphasis and links are completed for display', () => {
    const reader = createReader()
    const [block] = reader.read('a **bold', true).flat()
    expect(block?.token.raw).toBe('a **bold**')
    const [link] = createReader().read('see [the page](https://exa', true).flat()
    expect(link?.token.raw).toBe('see the page')
    const [money] = createReader().read('costs $5 and $10', true).flat()
    expect(money?.token.raw).toBe('costs $5 and $10')
  })

  test('a text that breaks off is shown as it was while more could follow, and one that ends so as it is', () => {
    const text = 'Done.\n\n- a **bold'
    const [growing, cut, whole] = [createReader(), createReader(), createReader()]
    growing.read(text, true)
    const lastOf = (reader: BlockReader<MarkdownBlock>, isCut: boolean) =>
      reader.read(text, false, isCut).flat().at(-1)?.token.raw
    expect(lastOf(growing, true)).toBe('- a **bold**')
    expect(lastOf(cut, true)).toBe('- a **bold**')
    expect(lastOf(growing, false)).toBe('- a **bold')
    expect(lastOf(whole, false)).toBe('- a **bold')
  })

  test('a reference definition is known to the blocks after it', () => {
    const blocks = createReader().read('[home]: https://example.org\n\nGo [home].', false).flat()
    expect(JSON.stringify(blocks.at(-1))).toContain('"href":"https://example.org"')
  })
})

describe('text made to slow down the lexer', () => {
  test.each([
    ['nested quotes', '>'.repeat(100_000)],
    ['nested lists', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')],
    ['mixed emphasis', '*a_'.repeat(30_000)],
    ['nested emphasis', `${'*'.repeat(5_000)}a${'*'.repeat(5_000)}`],
    ['brackets', '['.repeat(50_000)],
    ['half links', '[a]('.repeat(20_000)],
    ['tags', '<a '.repeat(30_000)],
    ['dollars', '$'.repeat(200_000)],
  ])('%s are read without losing text', (_, text) => {
    const blocks = createReader().read(text, false).flat()
    expect(blocks.reduce((length, { token }) => length + token.raw.length, 0)).toBeGreaterThanOrEqual(
      text.trimEnd().length,
    )
  })

  test.each([
    ['quotations', `${'>'.repeat(100)}a`, 16],
    ['lists', Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n'), 32],
    ['marks of emphasis', `${'*a **b '.repeat(40)}c${' b** a*'.repeat(40)}`, 17],
  ])('a hundred %s in each other are read as a few, and the rest as plain text', (_, text, depth) => {
    expect(depthOf(lexMarkdown(text, {}))).toBe(depth)
  })

  test('a paragraph of 20,000 characters is still read as Markdown, and a longer one as plain text', () => {
    const typesOf = (text: string) =>
      lexMarkdown(text, {}).flatMap(
        token => ('tokens' in token && token.tokens?.map(({ type }) => type)) || [],
      )
    expect(typesOf(`*a* ${'b'.repeat(19_996)}`)).toEqual(['em', 'text'])
    expect(typesOf(`*a* ${'b'.repeat(19_997)}`)).toEqual(['text'])
  })

  test.each(['*a', '_a', '>~a', '!a', '\\(', '\\['])(
    'a paragraph of many %j is read as plain text',
    piece => {
      const [token] = lexMarkdown(`a ${piece.repeat(600)}`, {})
      expect(token).toMatchObject({ type: 'paragraph', tokens: [{ type: 'text', escaped: true }] })
    },
  )

  test('an unfinished paragraph of more than 20,000 characters is not repaired', () => {
    const text = `${'word '.repeat(4_000)}**b`
    expect(createReader().read(text, true).flat()[0]?.token.raw).toBe(text)
  })
})
