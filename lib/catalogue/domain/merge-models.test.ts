import { describe, expect, test } from '@jest/globals'
import { formatDecimal, ZERO } from '@/lib/money/decimal'
import { mergeModels } from './merge-models'
import type { OperatorModel } from './parse-model-prices'
import { decimal, somePrices } from './testing'
import type { UpstreamModel } from './upstream-model'

function listed(id: string, prompt: string | null, fields: Partial<UpstreamModel> = {}): UpstreamModel {
  return {
    id,
    name: id,
    description: '',
    createdAtSeconds: 0,
    contextLength: null,
    outputTokenCountMax: null,
    inputModalities: null,
    outputModalities: null,
    pricing: prompt === null ? null : { prompt, completion: '0' },
    ...fields,
  }
}

const list = (upstreamId: string, models: UpstreamModel[] | null, free = false) => ({
  upstreamId,
  models,
  free,
})
const operator = (fields: Partial<OperatorModel> = {}): OperatorModel => ({
  prices: somePrices({ prompt: '0.000009' }),
  name: null,
  contextLength: null,
  kind: null,
  ...fields,
})
const none = new Map<string, OperatorModel>()

function merge(lists: ReturnType<typeof list>[], operatorModels = none) {
  return mergeModels({ lists, operatorModels, priceMarkup: ZERO }).map(model => ({
    id: model.id,
    prompt: formatDecimal(model.prices.prompt),
    upstreamIds: model.upstreamIds,
  }))
}

describe('a model', () => {
  test('without a usable price anywhere is left out, never free', () => {
    expect(merge([list('one', [listed('a', null), listed('b', '-1'), listed('c', 'NaN')])])).toEqual([])
  })

  test('that draws is charged for pictures, by the piece or by their tokens, and is left out without a price', () => {
    const painter = (id: string, pricing: Record<string, string>) =>
      listed(id, '0', { outputModalities: ['image'], pricing: { prompt: '0', completion: '0', ...pricing } })
    const models = [
      painter('by-piece', { image: '0.04' }),
      painter('by-token', { image: '0.001', image_output: '0.00004' }),
      painter('untold', { image: '0' }),
      painter('depends', { image_output: '-1' }),
    ]
    const merged = mergeModels({ lists: [list('one', models)], operatorModels: none, priceMarkup: ZERO })
    expect(
      merged.map(({ id, prices }) => [id, formatDecimal(prices.image), formatDecimal(prices.completion)]),
    ).toEqual([
      ['by-piece', '0.04', '0'],
      ['by-token', '0', '0.00004'],
    ])
  })

  test('of a kind that this site does not offer is left out', () => {
    const embeddings = listed('text-embedding-3-small', '0')
    const video = listed('video', '0', { outputModalities: ['video'] })
    expect(merge([list('one', [embeddings, video])])).toEqual([])
  })

  test('has the price of the first upstream, and every upstream that prices it', () => {
    const lists = [
      list('one', [listed('a', '1e-6')]),
      list('two', [listed('a', '2e-6'), listed('b', '3e-6')]),
    ]
    expect(merge(lists)).toEqual([
      { id: 'a', prompt: '0.000001', upstreamIds: ['one', 'two'] },
      { id: 'b', prompt: '0.000003', upstreamIds: ['two'] },
    ])
  })

  test('is not sent to an upstream whose price for it is unusable', () => {
    const lists = [list('one', [listed('a', '-1')]), list('two', [listed('a', '2e-6')])]
    expect(merge(lists)).toEqual([{ id: 'a', prompt: '0.000002', upstreamIds: ['two'] }])
  })

  test('that is free on this machine never moves on to an upstream that charges, nor back', () => {
    const local = list('local', [listed('a', null)], true)
    const paid = list('paid', [listed('a', '1e-6')])
    expect(merge([local, paid])).toEqual([{ id: 'a', prompt: '0', upstreamIds: ['local'] }])
    expect(merge([paid, local])).toEqual([{ id: 'a', prompt: '0.000001', upstreamIds: ['paid'] }])
  })
})

describe("the operator's prices", () => {
  const operatorModels = new Map([['a', operator({ name: 'Ours', contextLength: 4_000, kind: 'image' })]])

  test('make a list without prices usable, and stand above published ones', () => {
    const lists = [list('one', [listed('a', null)]), list('two', [listed('a', '1e-6')])]
    expect(merge(lists, operatorModels)).toEqual([
      { id: 'a', prompt: '0.000009', upstreamIds: ['one', 'two'] },
    ])
  })

  test('do not offer what a listing upstream does not have', () => {
    expect(merge([list('one', [])], operatorModels)).toEqual([])
  })

  test('are the list of an upstream that publishes none', () => {
    const [model] = mergeModels({ lists: [list('one', null)], operatorModels, priceMarkup: decimal('1') })
    expect(model).toMatchObject({
      id: 'a',
      name: 'Ours',
      contextLength: 4_000,
      kind: 'image',
      outputModalities: ['image'],
      prices: { prompt: decimal('0.000018') },
    })
  })
})
