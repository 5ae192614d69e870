import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { PriceOverride, Prices } from '@/lib/catalogue/domain/model'
import { readOverride } from '@/lib/catalogue/domain/price-overrides'
import { price, somePrices } from '@/lib/catalogue/domain/testing'
import { add, decimalFromInteger, multiply } from '@/lib/money/decimal'
import { ceilToNano } from '@/lib/money/nano'
import { countCharacters } from './estimate-speech'
import { priceSpeech, spokenPart } from './speech-cost'

/** A token for each word. */
const countWords = async (texts: Iterable<string>) => [...texts].join(' ').split(' ').length
const priceOf = (prices: Prices, read: string) => priceSpeech(prices, read, countWords)
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 })

describe('the price of a text', () => {
  test('is rounded up once, whatever the price and the text', async () => {
    await fc.assert(
      fc.asyncProperty(text, price, price, async (read, inputCharacter, request) => {
        const prices = { ...somePrices(), inputCharacter, request }
        const { costNano, unitCount } = await priceOf(prices, read)
        const exact = add(multiply(inputCharacter, decimalFromInteger(unitCount)), request)
        expect(costNano).toBe(ceilToNano(exact))
        expect(unitCount).toBe([...read].length)
      }),
    )
  })

  test('counts an emoji as one character, as vendors do', () => {
    expect(countCharacters('a💸b')).toBe(3)
  })

  test('uses tokens, marked as estimated, only without a price per character', async () => {
    const byTokens = await priceOf(somePrices({ prompt: '0.00001' }), 'x '.repeat(20))
    expect(byTokens).toEqual({ costNano: 210_000n, unitCount: 21, estimated: true })
    const free = await priceOf(somePrices({ prompt: '0.00001', inputCharacter: '0' }), 'x'.repeat(40))
    expect(free).toEqual({ costNano: 0n, unitCount: 40, estimated: false })
  })

  test('takes no tokenizer if nothing costs anything', async () => {
    const count = jest.fn(countWords)
    expect(await priceSpeech(somePrices(), 'Hello there', count)).toMatchObject({
      costNano: 0n,
      unitCount: 3,
    })
    expect(count).not.toHaveBeenCalled()
  })

  test('is the highest of the day if it depends on the hour', async () => {
    const atNoon = { utc_start: '1200', utc_end: '1300', input_character: '0.00005', request: '0.001' }
    const prices = somePrices({ inputCharacter: '0.00001' }, [readOverride(atNoon) as PriceOverride])
    expect((await priceOf(prices, 'x'.repeat(40))).costNano).toBe(3_000_000n)
  })

  test('of a played part is never above that of the whole, and grows with the part', async () => {
    const prices = somePrices({ inputCharacter: '0.00003' })
    const bytes = fc.integer({ min: 1, max: 10_000_000 })
    await fc.assert(
      fc.asyncProperty(
        text,
        bytes,
        bytes,
        fc.double({ min: 0.25, max: 4, noNaN: true }),
        async (read, one, other, speed) => {
          const costOf = async (byteCount: number) => {
            const part = spokenPart({ text: read, byteCount, bytesPerSecond: 16_000, speed })
            return (await priceOf(prices, part)).costNano
          }
          const [less, more] = [Math.min(one, other), Math.max(one, other)]
          expect(await costOf(less)).toBeGreaterThan(0n)
          expect(await costOf(less)).toBeLessThanOrEqual(await costOf(more))
          expect(await costOf(more)).toBeLessThanOrEqual((await priceOf(prices, read)).costNano)
        },
      ),
    )
  })

  test('of one second of sound is that of fifteen characters', () => {
    const part = spokenPart({ text: 'x'.repeat(100), byteCount: 16_000, bytesPerSecond: 16_000, speed: 1 })
    expect(part).toHaveLength(15)
  })
})
