import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import { mergeModels } from '@/lib/catalogue/domain/merge-models'
import { parseUpstreamModels } from '@/lib/catalogue/domain/parse-upstream-models'
import { ZERO } from '@/lib/money/decimal'
import { minNano } from '@/lib/money/nano'
import { type ImageRequest, readImageRequest } from './contract'
import { imageTermsFor, planImages, tokensPerDrawingMax, unitsPerImage } from './plan'

function painter(pricing: Record<string, string>, id = 'm') {
  const listed = { id, architecture: { output_modalities: ['image'] }, pricing }
  const models = parseUpstreamModels(JSON.stringify({ data: [listed] }))
  const lists = [{ upstreamId: 'u', models, free: false }]
  const [model] = mergeModels({ lists, operatorModels: new Map(), priceMarkup: ZERO })
  if (!model) throw new Error('The model has no usable price.')
  return model
}

const tokenPrices = { prompt: '0.000005', completion: '0', image_output: '0.00004' }
const byToken = painter(tokenPrices, 'openai/gpt-image-1')
const byTokenAlone = painter(tokenPrices)
const byPicture = painter({ prompt: '0', completion: '0', image: '0.04' })
const ask = (fields: object): ImageRequest =>
  readImageRequest({ model: 'm', prompt: 'A copper coin', ...fields }).request

describe('the hold for pictures', () => {
  test('is below 0.20 USD for one of medium quality', () => {
    const plan = planImages(ask({ quality: 'medium', size: '1024x1024' }), byToken)
    expect(plan.boundNano).toBeLessThan(200_000_000n)
  })

  test('grows with their size and quality', () => {
    const bound = (fields: Partial<ImageRequest>) => planImages(ask(fields), byToken).boundNano
    expect(bound({ quality: 'low' })).toBeLessThan(bound({ quality: 'medium' }))
    expect(bound({ quality: 'medium' })).toBeLessThan(bound({ quality: 'high' }))
    expect(bound({ quality: 'high' })).toBeLessThan(bound({ quality: 'high', size: '4096x4096' }))
    const large = planImages(ask({ quality: 'hd', size: '1792x1024' }), byPicture).boundNano
    expect(large).toBe(4n * planImages(ask({}), byPicture).boundNano)
  })

  test('takes each picture for a whole number of squares, and each that is sent for one more', () => {
    const bound = (fields: Partial<ImageRequest>) => planImages(ask(fields), byPicture).boundNano
    expect(bound({ n: 2, size: '1536x1024' })).toBe(4n * bound({}))
    const sent = 'data:image/png;base64,iVBORw0KGgo='
    expect(bound({ n: 2, image: [sent, sent, sent] })).toBe(5n * bound({}))
  })

  test('takes a picture that is sent for as many tokens as its model may count', () => {
    const ofPicture = (id: string) => {
      const model = painter(tokenPrices, id)
      const image = ['data:image/png;base64,iVBORw0KGgo=']
      return planImages(ask({ image }), model).boundNano - planImages(ask({}), model).boundNano
    }
    expect(ofPicture('maker/gpt-6-image')).toBeGreaterThan(2n * ofPicture('maker/image'))
  })

  test.each(['10240x1024', '1024x10240'])('is none for a size that no model draws: %s', size => {
    expect(() => ask({ size })).toThrow('size is not valid')
  })

  test('has tokens in proportion to the size, above the largest of the usual ones', () => {
    const count = (size: string) => tokensPerDrawingMax(byTokenAlone, { imageCount: 1, size, quality: null })
    expect([count('512x512'), count('1536x1024')]).toEqual([8_192, 8_192])
    expect([count('3072x1024'), count('3072x2048')]).toEqual([2 * 8_192, 4 * 8_192])
  })

  // What OpenRouter counts for a picture of Seedream or FLUX, whatever quality is asked for.
  test.each(['low', 'medium', 'high'] as const)('covers a host that ignores the quality: %s', quality => {
    for (const size of ['1024x1024', undefined]) {
      const plan = planImages(ask({ size, quality }), byTokenAlone)
      const usage = { ...NO_USAGE, outputTokenCount: 4_175 }
      expect(plan.minimumNano).toBeGreaterThanOrEqual(cost({ prices: byTokenAlone.prices, usage }))
    }
  })

  test('buys fewer, then plainer ones if the quality was left open, when it is smaller', () => {
    const plan = planImages(ask({ n: 4 }), byToken)
    expect(imageTermsFor(plan, plan.boundNano)).toEqual({ imageCount: 4, size: null, quality: null })
    expect(imageTermsFor(plan, plan.boundNano - 1n)).toMatchObject({ imageCount: 3, quality: null })
    expect(imageTermsFor(plan, plan.minimumNano)).toEqual({
      imageCount: 1,
      size: '1024x1024',
      quality: 'low',
    })
    const chosen = planImages(ask({ n: 4, quality: 'high' }), byToken)
    expect(imageTermsFor(chosen, chosen.minimumNano)).toMatchObject({ imageCount: 1, quality: 'high' })
  })

  test('covers the highest price of the pictures in its terms', () => {
    fc.assert(
      fc.property(
        fc.record({
          n: fc.integer({ min: 1, max: 10 }),
          quality: fc.constantFrom('low', 'medium', 'high', 'standard', 'hd', 'auto', undefined),
          size: fc.constantFrom('1024x1024', '1536x1024', '4096x4096', '4K', 'auto', undefined),
        }),
        fc.constantFrom(byToken, byTokenAlone, byPicture),
        fc.bigInt({ min: 0n, max: 10n ** 10n }),
        (fields, model, extraNano) => {
          const plan = planImages(ask(fields), model)
          const heldNano = plan.minimumNano + extraNano
          const terms = imageTermsFor(plan, heldNano)
          const usage = {
            ...NO_USAGE,
            inputTokenCount: plan.promptTokenCountMax,
            outputTokenCount: terms.imageCount * tokensPerDrawingMax(model, terms),
            imageCount: terms.imageCount * unitsPerImage(terms),
          }
          const held = minNano(heldNano, plan.boundNano)
          expect(cost({ prices: model.prices, usage, at: new Date(0) })).toBeLessThanOrEqual(held)
        },
      ),
    )
  })
})

test.each(['vector_illustration', 'Vector art', 'icon', 'Linocut', 'Line art', 'linocut '])(
  'a request for vectors, which cost twice as much as pixels, is refused: %s',
  style => {
    expect(() => ask({ style })).toThrow('style is not valid: expected a style of pixels')
    for (const drawn of ['vivid', 'digital_illustration', null])
      expect(ask({ style: drawn }).style).toBe(drawn)
  },
)

test('a request for pictures drops unknown fields, and is refused with a provider or too many pictures', () => {
  const { request, ignoredFields } = readImageRequest({
    model: 'm',
    prompt: 'x',
    api_base: 'http://elsewhere',
    user: 'me',
  })
  expect(ignoredFields).toEqual(['api_base'])
  expect(request).not.toHaveProperty('api_base')
  expect(() => readImageRequest({ model: 'm', prompt: 'x', provider: {} })).toThrow('provider')
  // Of a hundred thousand each would be looked at, and what is wrong with it be written down.
  const image = Array(100_000).fill(null)
  expect(() => readImageRequest({ model: 'm', prompt: 'x', image })).toThrow(
    expect.objectContaining({ param: 'image' }),
  )
})
