import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { utf8ByteCount } from '../domain/text-bytes'
import { countTokens } from './count-tokens'

const exactly = (text: string) => encode(text, { disallowedSpecial: new Set() }).length
const PROSE = readFileSync('README.md', 'utf8')
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

describe('tokens', () => {
  test('of nothing are none', async () => {
    expect(await countTokens([])).toBe(0)
    expect(await countTokens(['', ''])).toBe(0)
  })

  test('of short texts are those of the tokenizer, signs of its own included', async () => {
    for (const text of ['Hello, world!', 'Größenwahn', 'नमस्ते', '👩‍👩‍👧', '<|endoftext|>', '\ud800', ' \n\t '])
      expect(await countTokens([text])).toBe(exactly(text))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 100 })), async texts => {
        const sum = texts.reduce((total, text) => total + exactly(text), 0)
        return (await countTokens(texts)) === sum
      }),
    )
  })

  test('of prose hardly differ for being cut', async () => {
    const counted = await countTokens([PROSE])
    expect(counted).toBeGreaterThanOrEqual(exactly(PROSE))
    expect(counted).toBeLessThan(exactly(PROSE) * 1.01)
  })

  test('are never more than the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 3_000 }), async text => {
        return (await countTokens([text])) <= utf8ByteCount(text)
      }),
      { numRuns: 30 },
    )
  })

  test('of a long text are reckoned up from a sample of it', async () => {
    const half = PROSE.repeat(Math.ceil(300_000 / PROSE.length))
    const halves = [half, '字'.repeat(300_000)]
    const expected =
      exactly(PROSE) * (half.length / PROSE.length) + exactly('字'.repeat(512)) * (300_000 / 512)
    const counted = await countTokens(halves)
    expect(counted).toBeGreaterThan(expected * 0.95)
    expect(counted).toBeLessThan(expected * 1.05)
  })

  test('of very many short texts likewise', async () => {
    const texts = Array.from({ length: 200_000 }, () => '"name":')
    const expected = exactly('"name":') * texts.length
    const counted = await countTokens(texts)
    expect(counted).toBeGreaterThan(expected * 0.95)
    expect(counted).toBeLessThan(expected * 1.05)
  })
})

test.each([
  ['one letter', 'a'.repeat(100_000)],
  [
    'letters at random',
    Array.from({ length: 60_000 }, (_, index) => LETTERS[(index * index * 7 + index) % 26]).join(''),
  ],
  [
    'signs of a rare script',
    Array.from({ length: 30_000 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    ).join(''),
  ],
])(
  'the loop turns many times while %s without a space are counted, and for others between',
  async (_, text) => {
    let turns = 0
    let isDone = false
    const spin = () => {
      turns += 1
      if (!isDone) setImmediate(spin)
    }
    await countTokens(['x'])
    const counting = countTokens([text])
    setImmediate(spin)
    const order: string[] = []
    const long = counting.then(() => order.push('long'))
    await countTokens(['short']).then(() => order.push('short'))
    await long
    isDone = true
    expect(order).toEqual(['short', 'long'])
    expect(turns).toBeGreaterThan(3)
  },
)
