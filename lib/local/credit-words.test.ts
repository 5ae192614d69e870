import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { creditIdToWords, parseCreditSecret } from './credit-words'

const locales = ['en', 'es', 'de', 'fr', 'it'] as const

describe('a backup that cannot be right is refused', () => {
  test.each([
    ['nothing', ''],
    ['eleven words', 'abandon '.repeat(11)],
    ['a word wrong', `${'abandon '.repeat(11)}zoo`],
    ['words of no list', 'one two three four five six seven eight nine ten eleven twelve'],
    ['a shortened id', '8b7f6a2e-3c1d-4e5f-9a0b-1c2d3e4f5a6'],
  ])('%s', async (_, text) => {
    await expect(parseCreditSecret(text)).resolves.toBeNull()
  })
})

test('words in every language give the same credit_id back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uuid({ version: 4 }), fc.constantFrom(...locales), async (creditId, locale) => {
      const words = await creditIdToWords(creditId, locale)
      expect(words.split(' ')).toHaveLength(12)
      expect(await parseCreditSecret(`  ${words.toUpperCase().replaceAll(' ', '\n')} `)).toBe(creditId)
    }),
    { numRuns: 40 },
  )
})

test('accents may come composed or decomposed', async () => {
  const creditId = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
  const words = await creditIdToWords(creditId, 'es')
  await expect(parseCreditSecret(words.normalize('NFC'))).resolves.toBe(creditId)
})

test('the id itself is accepted too', async () => {
  const creditId = '8b7f6a2e-3c1d-4e5f-9a0b-1c2d3e4f5a6b'
  await expect(parseCreditSecret(` ${creditId.toUpperCase()} `)).resolves.toBe(creditId)
})
