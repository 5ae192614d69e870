import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { Model } from '@/lib/catalogue/domain/model'
import { prices, someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { anyCharacter } from '@/test/support/any-character'
import { readEmbeddingRequest } from './contract'
import { planEmbeddings, probableNano, requireTexts } from './plan'

const embedder = someModel({
  id: 'openai/text-embedding-3-small',
  prices: somePrices({ prompt: '0.00000002' }),
})
const ask = (input: unknown, fields: object = {}) =>
  readEmbeddingRequest({ model: 'm', input, ...fields }).request

describe('a request for embeddings', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'input'],
    ['an empty text', '', 'input'],
    ['no texts', [], 'input'],
    ['texts of which one is empty', ['a', ''], 'input'],
    ['texts among tokens', ['a', 1], 'input'],
    ['no whole numbers', [1.5], 'input'],
    ['negative numbers', [[1], [-1]], 'input'],
    ['pictures', [{ content: [{ type: 'image_url', image_url: { url: 'https://a.test' } }] }], 'input'],
    ['too many texts', Array.from({ length: 2_049 }, () => 'a'), 'input'],
    ['a list of wrong numbers', Array.from({ length: 131_072 }, () => -1), 'input'],
    ['lists of wrong numbers', Array.from({ length: 2 }, () => Array(131_072).fill(-1)), 'input'],
    ['a million numbers', Array.from({ length: 1_000_000 }, () => 1), 'input'],
  ])('for %s is refused', (_, input, param) => {
    expect(() => ask(input)).toThrow(
      expect.objectContaining({ status: 400, param: expect.stringMatching(param) }),
    )
  })

  test('is not checked beyond its first fault', () => {
    const input = Object.defineProperty([1, null, 1], 2, {
      get() {
        throw new Error('The rest need not be looked at.')
      },
    })
    expect(() => ask(input)).toThrow(expect.objectContaining({ param: 'input' }))
  })

  test('that names a provider, further models or a tier is refused, and unknown fields are dropped and reported', () => {
    for (const field of ['provider', 'models', 'service_tier', 'plugins']) {
      expect(() => ask('a', { [field]: ['x'] })).toThrow(expect.objectContaining({ param: field }))
    }
    const { request, ignoredFields } = readEmbeddingRequest({
      model: 'm',
      input: 'a',
      dimensions: 8,
      truncate: 'END',
    })
    expect([request, ignoredFields]).toEqual([{ model: 'm', input: 'a', dimensions: 8 }, ['truncate']])
  })
})

describe('the hold for embeddings', () => {
  test('has at most as many tokens as the texts have bytes, or as many as were sent', () => {
    const bound = (input: unknown, id = embedder.id) =>
      planEmbeddings(ask(input), { ...embedder, id }).inputTokenCountMax
    expect(bound('né')).toBe(32 + 3)
    expect(bound(['né', 'a'])).toBe(64 + 4)
    expect(bound([1, 2, 3])).toBe(32 + 3)
    expect(bound([[1, 2, 3], [4]])).toBe(64 + 4)
    // Whoever writes the numbers out, and counts their letters.
    expect(bound([[1, 2, 3], [4]], 'vendor/embedder')).toBe(64 + 4 * 128)
  })

  test('covers every possible token count at any price', () => {
    fc.assert(
      fc.property(
        prices,
        fc.array(fc.string({ unit: anyCharacter, minLength: 1 }), { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (known, texts, part) => {
          const plan = planEmbeddings(ask(texts), someModel({ prices: known }))
          const inputTokenCount = Math.floor(plan.inputTokenCountMax * part)
          expect(cost({ prices: known, usage: { ...NO_USAGE, inputTokenCount } })).toBeLessThanOrEqual(
            plan.boundNano,
          )
        },
      ),
    )
  })

  test('is far smaller at its probable price, which never exceeds the bound', async () => {
    const text = 'Rain came late, ships were few, and hardly anybody noticed. '.repeat(50)
    const plan = planEmbeddings(ask(text), embedder)
    const probable = probableNano(plan, await countTokens([text]))
    expect(probable).toBeLessThan(plan.boundNano / 2n)
    expect(probableNano(plan, 10_000_000)).toBe(plan.boundNano)
  })

  test('is higher for scripts of which other tokenizers make more tokens', () => {
    const probable = (letter: string) => probableNano(planEmbeddings(ask(letter.repeat(300)), embedder), 100)
    expect(probable('ก')).toBeGreaterThan(probable('a'))
  })
})

describe('an address in place of a text', () => {
  const isTaken = (model: Partial<Model>, input: string) => {
    const { request } = readEmbeddingRequest({ model: 'm', input })
    try {
      requireTexts(request, someModel({ kind: 'embedding', ...model }))
      return true
    } catch {
      return false
    }
  }

  test.each([
    ['vertex_ai/multimodalembedding@001', false],
    ['gemini/gemini-embedding-2-preview', false],
    ['cohere/embed-english-v3.0', false],
    ['embed-v4.0', false],
    ['jina-clip-v2', false],
    ['text-embedding-3-large', true],
    ['gemini-embedding-001', true],
    ['bge-m3', true],
  ])('is sent to %s: %s', (id, taken) => {
    expect(isTaken({ id }, 'https://a.test/film.mp4')).toBe(taken)
    expect(isTaken({ id }, 'Words about https://a.test/film.mp4')).toBe(true)
    expect(isTaken({ id }, 'Data: ships were few.')).toBe(true)
  })

  test('is not sent to a model that is listed with pictures', () => {
    expect(isTaken({ id: 'm', inputModalities: ['text', 'image'] }, 'data:image/png;base64,AA')).toBe(false)
  })
})
