import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Locale, routing } from '@/lib/i18n/routing'
import { completeWord, creditIdToWords, parseCreditSecret } from './credit-words'

const CREDIT_ID = '8b7f6a2e-3c1d-4e5f-9a0b-1c2d3e4f5a6b'
const creditIds = fc.uuid({ version: 4 })
const locales = fc.constantFrom(...routing.locales)
const separators = fc.constantFrom(' ', '  ', '\n', '\t', ', ', '; ', '\u00a0', '\n\n', ' - ', ' | ')
const numberings = fc.constantFrom<(place: number) => string>(
  () => '',
  place => `${place} `,
  place => `${place}. `,
  place => `${place})`,
  place => `#${place}: `,
)
const spellings = fc.constantFrom<(word: string) => string>(
  word => word,
  word => word.toUpperCase(),
  word => word.normalize('NFC'),
  word => word.normalize('NFD').replace(/\p{M}/gu, ''),
  word => word.charAt(0).toUpperCase() + word.slice(1),
  word => `\u200b${word}\ufeff`,
  word => `"${word}"`,
)

async function wordsOf(creditId: string, locale: Locale): Promise<string[]> {
  return (await creditIdToWords(creditId, locale)).split(' ')
}

describe('a text without a credit is refused', () => {
  test.each([
    ['nothing', '', { problem: 'malformed' }],
    ['a sentence', 'I have lost my words, can you help me find them?', { problem: 'malformed' }],
    [
      'words of no list',
      'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor',
      { problem: 'malformed' },
    ],
    ['a shortened id', CREDIT_ID.slice(0, -1), { problem: 'malformed' }],
    ['an API key', ` sk-${'Ab3_'.repeat(12)}\n`, { problem: 'apiKey' }],
    ['eleven words', 'abandon '.repeat(11), { problem: 'count', count: 11 }],
    ['thirteen words', 'abandon '.repeat(13), { problem: 'count', count: 13 }],
    ['two ids', `${CREDIT_ID} ${CREDIT_ID.replace('8', '9')}`, { problem: 'several' }],
  ])('%s', async (_, text, problem) => {
    await expect(parseCreditSecret(text)).resolves.toEqual(problem)
  })

  test('valid words with a wrong checksum', async () => {
    await expect(parseCreditSecret(`${'abandon '.repeat(11)}zoo`)).resolves.toMatchObject({
      problem: 'words',
      wrong: [],
    })
  })
})

test('words in every language restore the credit_id, in any case, spacing and numbering', async () => {
  await fc.assert(
    fc.asyncProperty(
      creditIds,
      locales,
      fc.array(spellings, { minLength: 12, maxLength: 12 }),
      separators,
      numberings,
      async (creditId, locale, spelt, separator, numbered) => {
        const words = await wordsOf(creditId, locale)
        expect(words).toHaveLength(12)
        const written = words.map((word, index) => numbered(index + 1) + (spelt[index]?.(word) ?? word))
        expect(await parseCreditSecret(` ${written.join(separator)}\n`)).toEqual({ creditId })
      },
    ),
    { numRuns: 100 },
  )
})

test.each([
  ['around', 'My credit at the shop (2026-11-22):\n', '\nKeep them safe.'],
  ['before', 'Tuppence: ', ''],
  // None of these is a word of a list: another twelve might match by chance.
  ['after', '', ' (Tuppence)'],
])('a sentence %s the words is ignored', async (_, before, after) => {
  await fc.assert(
    fc.asyncProperty(creditIds, locales, async (creditId, locale) => {
      const words = (await wordsOf(creditId, locale)).join(' ')
      expect(await parseCreditSecret(`${before}${words}${after}`)).toEqual({ creditId })
    }),
    { numRuns: 40 },
  )
})

test('one wrong letter is located, and the right word is suggested', async () => {
  await fc.assert(
    fc.asyncProperty(
      creditIds,
      locales,
      fc.nat(11),
      fc.nat(30),
      fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
      async (creditId, locale, index, at, letter) => {
        const words = await wordsOf(creditId, locale)
        const meant = words[index] ?? ''
        const plain = meant.normalize('NFD').replace(/\p{M}/gu, '')
        const cut = at % plain.length
        const wrong = plain.slice(0, cut) + letter + plain.slice(cut + 1)
        const parsed = await parseCreditSecret(words.with(index, wrong).join(' '))
        // It became another word of a list, or the same letter.
        fc.pre('wrong' in parsed && parsed.wrong.length > 0)
        expect(parsed.wrong.map(({ place }) => place)).toEqual([index + 1])
        expect(parsed.wrong[0]?.nearest).toContain(meant.normalize('NFC'))
      },
    ),
    { numRuns: 60 },
  )
})

test('several wrong words are all named', async () => {
  const words = await wordsOf(CREDIT_ID, 'en')
  const parsed = await parseCreditSecret(words.with(2, 'qqqq').with(7, `${words[7]}x`).join(' '))
  expect(parsed).toMatchObject({ problem: 'words', wrong: [{ place: 3, nearest: [] }, { place: 8 }] })
  expect(Reflect.get(parsed, 'wrong')[1].nearest).toContain(words[7])
})

test.each([
  ` ${CREDIT_ID.toUpperCase()} `,
  CREDIT_ID.replaceAll('-', ''),
  CREDIT_ID.replaceAll('-', ' - '),
  CREDIT_ID.replaceAll('-', '\u2011'),
  `Your key: ${CREDIT_ID}.`,
])('the credit_id itself is accepted as %j', async text => {
  await expect(parseCreditSecret(text)).resolves.toEqual({ creditId: CREDIT_ID })
})

describe('a partly typed word', () => {
  test.each([
    ['en', 'aban', [], ['abandon']],
    ['de', ' ABAN', [], ['abandon']],
    ['es', 'abdom', [], ['abdomen']],
    ['es', 'acci', [], ['acción']],
    ['en', '', [], []],
    ['en', 'zzz', [], []],
  ] as const)('in %s, %j is completed', async (locale, start, others, words) => {
    await expect(completeWord(start, others, locale)).resolves.toEqual(words)
  })

  test('is completed in the language of the other words', async () => {
    await expect(completeWord('acci', ['abdomen', 'ábaco', ''], 'en')).resolves.toEqual(['acción'])
  })
})
