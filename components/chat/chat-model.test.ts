import { describe, expect, test } from '@jest/globals'
import { isFree, parseModelList, pricePerMillion } from './chat-model'

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

  test('keeps what can be priced, in its order', () => {
    const models = parseModelList({ data: [entry('b'), entry('unpriced', null), entry('a')] })
    expect(models.map(({ id }) => id)).toEqual(['b', 'a'])
  })

  test('tells prices for a million tokens, and nothing for a price it does not understand', () => {
    expect(pricePerMillion('0.00000015')).toBe(0.15)
    expect(pricePerMillion('cheap')).toBeNull()
  })

  test('has the search in the fee of those that search for every answer', () => {
    const pricing = { prompt: '0', completion: '0', request: '0.005', web_search: '0.01' }
    const [searching, other] = parseModelList({ data: [entry('vendor/sonar', pricing), entry('b', pricing)] })
    expect([searching, other].map(model => model?.prices.request)).toEqual(['0.015', '0.005'])
  })

  test('calls free only what costs nothing at all', () => {
    const [free, perRequest, odd] = parseModelList({
      data: [
        entry('free', { prompt: '0', completion: '0' }),
        entry('request', { prompt: '0', completion: '0', request: '0.01' }),
        entry('odd', { prompt: '0', completion: '?' }),
      ],
    })
    expect([free, perRequest, odd].map(model => model && isFree(model))).toEqual([true, false, false])
  })

  test('has those that draw at its end, with the price of a picture, and gives them no pictures', () => {
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
