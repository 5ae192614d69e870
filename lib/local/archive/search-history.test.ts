import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { foldQuery, foldText } from '../domain/fold-text'
import { runInSlices } from './create-history-store'
import { excerptOf, splitAtHits } from './search-history'

describe('folding', () => {
  test.each([
    ['FORÊT', 'foret'],
    ['foret\u0302', 'foret'],
    ['Straße', 'strasse'],
    ['Ñandú', 'nandu'],
    ['Ελλάδα', 'ελλαδα'],
    ['東京 🪙', '東京 🪙'],
  ])('%s is folded to %s', (text, folded) => expect(foldText(text)).toBe(folded))

  test('folding twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const folded = foldText(text)
        expect(foldText(folded)).toBe(folded)
      }),
    )
  })

  test('a long pasted text is cut to the query limit', () => {
    expect(foldQuery('word '.repeat(5_000)).length).toBeLessThanOrEqual(12)
  })
})

describe('an excerpt', () => {
  test('shows the match in its original spelling', () => {
    const text = `${'before '.repeat(40)}la Forêt Noire${' after'.repeat(40)}`
    const excerpt = excerptOf(text, foldText(text), 'foret')
    expect(excerpt).toContain('Forêt Noire')
    expect(excerpt).toMatch(/^….*…$/)
  })

  test('has the match within the first line on a phone', () => {
    const text = `${'words before it '.repeat(5)}unicorn ${'and after '.repeat(20)}`
    expect(excerptOf(text, text, 'unicorn').indexOf('unicorn') + 'unicorn'.length).toBeLessThan(24)
  })

  test.each([
    ['## The *whole* **bread**\n> with `rye`', 'whole', 'The whole bread with rye'],
    ['a * b, 2*3, 2**3 and C# stay', 'a', 'a * b, 2*3, 2**3 and C# stay'],
    ['**Note:** it *is* so', 'note', 'Note: it is so'],
    [`a bold ~~loaf ${'x'.repeat(100)}~~ here`, 'bold', `a bold loaf ${'x'.repeat(78)}…`],
    ['from ~/bin to ~5 loaves', 'from', 'from ~/bin to ~5 loaves'],
    ['- see [the bread](https://bread.test/rye), ![](data:x)\n---\n1. end', 'see', 'see the bread, 1. end'],
    ['| Bread | Price |\n|:--|--:|\n| rye | **2** |', 'bread', 'Bread · Price rye · 2'],
    ['[the bread](https://bread.test/rye) and more', 'bread', 'the bread and more'],
    ['Bread\n```sh\nbake _it_ ~~now~~', 'bread', 'Bread sh bake it now'],
    ['if (a || b) | c', 'a', 'if (a || b) | c'],
    ['Print `2**3` of it', '`2**3', 'Print `2**3` of it'],
  ])('of %j has no Markdown marks, except those searched for', (text, term, excerpt) => {
    expect(excerptOf(text, foldText(text), term)).toBe(excerpt)
  })

  test('has no half of a link at its ends', () => {
    const after = `unicorn ${'and '.repeat(18)}[the rest](https://unicorns.test/${'long/'.repeat(20)})`
    expect(excerptOf(after, after, 'unicorn')).toMatch(/ and the rest…$/)
    const before = `${'word '.repeat(10)}[some words](https://a.test) unicorn`
    expect(excerptOf(before, before, 'unicorn')).not.toMatch(/[()[\]]/)
  })

  test('starts at the beginning of a word', () => {
    const text = 'Everything about long unicorns'
    expect(excerptOf(text, text.toLowerCase(), 'unicorn')).toBe('…about long unicorns')
    const word = `${'x'.repeat(40)}unicorn`
    expect(excerptOf(word, word, 'unicorn')).toBe(`…${'x'.repeat(12)}unicorn`)
  })

  test.each(['', 'a'])('has no half characters at its ends, with %j before the match', before => {
    const text = `${'😀'.repeat(20)}${before}unicorn${'😀'.repeat(100)}`
    expect(excerptOf(text, text, 'unicorn').isWellFormed()).toBe(true)
  })

  test('of a short text is the whole text', () => {
    expect(excerptOf('One coin', 'one coin', 'coin')).toBe('One coin')
  })
})

describe('the highlighted part', () => {
  test.each([
    ['La Forêt Noire', 'foret', ['Forêt']],
    ['La Fore\u0302t Noire', 'FORÊT noire', ['Fore\u0302t', 'Noire']],
    ['Straße, Strasse', 'strasse', ['Straße', 'Strasse']],
    ['anagram', 'ana nag', ['anag']],
    ['😀 coin 😀', 'coin', ['coin']],
    ['One coin', 'purse', []],
  ])('in %j for %j is %j', (text, query, hits) => {
    const pieces = splitAtHits(text, query)
    expect(pieces.filter(({ isHit }) => isHit).map(piece => piece.text)).toEqual(hits)
  })

  test('loses nothing of the text', () => {
    const any = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(any, any, (text, query) => {
        const pieces = splitAtHits(text + query, query)
        expect(pieces.map(piece => piece.text).join('')).toBe(text + query)
      }),
    )
  })

  test('is every word of the query', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, query, after) => {
        const pieces = splitAtHits(before + query + after, query)
        expect(pieces.some(({ isHit }) => isHit)).toBe(foldQuery(query).length > 0)
      }),
    )
  })
})

test('work in slices stops after its time and continues later, item by item', () => {
  jest.useFakeTimers()
  const visited: number[] = []
  const visit = (item: number) => {
    visited.push(item)
    // Each takes half of a slice.
    jest.advanceTimersByTime(4)
  }
  runInSlices([1, 2, 3, 4, 5], visit)
  expect(visited).toEqual([])
  for (const count of [2, 4, 5]) {
    jest.runOnlyPendingTimers()
    expect(visited).toHaveLength(count)
  }
  expect(visited).toEqual([1, 2, 3, 4, 5])
  expect(jest.getTimerCount()).toBe(0)
  jest.useRealTimers()
})
