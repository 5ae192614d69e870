import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { modelToBody } from '@/lib/api/contracts/models'
import { averageMessageCost } from '@/lib/catalogue/domain/average-message-cost'
import { someModel, steadyPrices } from '@/lib/catalogue/domain/testing'
import { estimateEverydayMessage } from '@/lib/exchange/client/outgoing'
import { isFree, parseModel, parseModelList, pricePerMillion } from './chat-model'

const entry = (id: string, pricing: unknown = { prompt: '0.000001', completion: '0.000002' }) => ({
  id,
  name: `Name of ${id}`,
  pricing,
})

describe('the list of models', () => {
  test.each([null, [], {}, { data: 7 }, { data: [null, 1, {}, { id: 'x' }, entry('y', { prompt: 1 })] }])(
    'is empty for %j',
    body => {
      expect(parseModelList(body)).toEqual([])
    },
  )

  test('keeps only models with prices, in the order of the list', () => {
    const models = parseModelList({ data: [entry('b'), entry('unpriced', null), entry('a')] })
    expect(models.map(({ id }) => id)).toEqual(['b', 'a'])
  })

  test('converts prices to a million tokens, and unreadable prices to null', () => {
    expect(pricePerMillion('0.00000015')).toBe(0.15)
    expect(pricePerMillion('cheap')).toBeNull()
  })

  test('adds the search price to the request fee of models that always search', () => {
    const pricing = { prompt: '0', completion: '0', request: '0.005', web_search: '0.01' }
    const [searching, other] = parseModelList({ data: [entry('vendor/sonar', pricing), entry('b', pricing)] })
    expect([searching, other].map(model => model?.prices.request)).toEqual(['0.015', '0.005'])
  })

  test('calls a model free only if all its prices are zero', () => {
    const [free, perRequest, odd] = parseModelList({
      data: [
        entry('free', { prompt: '0', completion: '0' }),
        entry('request', { prompt: '0', completion: '0', request: '0.01' }),
        entry('odd', { prompt: '0', completion: '?' }),
      ],
    })
    expect([free, perRequest, odd].map(model => model && isFree(model))).toEqual([true, false, false])
  })

  test('takes the price of text for pictures in an answer, where they have no price of their own', () => {
    const both = { architecture: { output_modalities: ['image', 'text'] } }
    const prices = { prompt: '0.000001', completion: '0.000002' }
    const models = parseModelList({
      data: [
        { ...entry('unlisted', prices), ...both },
        { ...entry('listed', { ...prices, image_output: '0.00003' }), ...both },
        { ...entry('painter', { ...prices, image: '0.02' }), ...both, type: 'image' },
        entry('writer', prices),
      ],
    })
    const drawn = Object.fromEntries(models.map(({ id, prices: { image_output } }) => [id, image_output]))
    expect(drawn).toEqual({
      unlisted: '0.000002',
      listed: '0.00003',
      painter: undefined,
      writer: undefined,
    })
  })

  test('puts image models last, with their price per picture, and sends them no pictures', () => {
    const painter = {
      ...entry('painter', { prompt: '0', completion: '0', image: '0.02' }),
      type: 'image',
      architecture: { input_modalities: ['text', 'image'] },
    }
    const [first, last] = parseModelList({ data: [painter, entry('a')] })
    expect(first).toMatchObject({ id: 'a', draws: false })
    expect(last).toMatchObject({ id: 'painter', draws: true, takesPictures: false })
    expect(last && isFree(last)).toBe(false)
    expect(last?.prices.image).toBe('0.02')
  })
})

test('an everyday message has the same price in the picker as in the list of prices', () => {
  fc.assert(
    fc.property(
      steadyPrices,
      fc.constantFrom('vendor/model', 'vendor/sonar'),
      fc.constantFrom(null, { mandatory: false, efforts: ['low', 'high'] as const }),
      (prices, id, reasoning) => {
        const model = someModel({ id, prices, reasoning })
        const listed = parseModel(modelToBody(model))
        expect(listed && estimateEverydayMessage(listed)).toBe(averageMessageCost(model))
      },
    ),
  )
})
