import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { filterModels, MODEL_ORDERS, type ModelFilter } from './filter-models'
import { MODEL_KINDS } from './model'
import { decimal, prices, someModel, somePrices } from './testing'

const kinds = new Set(MODEL_KINDS)
const models = [
  someModel({ id: 'a/old', name: 'Old One', createdAtSeconds: 1, supportedParameters: ['tools'] }),
  someModel({
    id: 'a/new',
    createdAtSeconds: 2,
    supportedParameters: ['tools', 'reasoning'],
    contextLength: 9_000,
  }),
  someModel({ id: 'b/eyes', inputModalities: ['text', 'image'], prices: somePrices({ prompt: '0.000005' }) }),
  someModel({ id: 'b/free', prices: somePrices(), contextLength: null }),
  someModel({
    id: 'b/brush',
    kind: 'image',
    outputModalities: ['image'],
    prices: somePrices({ image: '0.04' }),
  }),
]
const idsOf = (filter: Partial<ModelFilter>) => filterModels(models, { kinds, ...filter }).map(({ id }) => id)

test.each<[Partial<ModelFilter>, string[]]>([
  [{ kinds: new Set(['image']) }, ['b/brush']],
  [{ words: ['A/', 'one'] }, ['a/old']],
  [{ supportedParameters: ['tools', 'reasoning'] }, ['a/new']],
  [{ inputModalities: ['image'] }, ['b/eyes']],
  [{ outputModalities: ['image', 'audio'] }, ['b/brush']],
  // A model that is paid by the picture has no price per token.
  [{ promptPriceMax: decimal('0.000001') }, ['a/old', 'a/new', 'b/free']],
  [{ promptPriceMax: decimal('0') }, ['b/free']],
  [{ order: 'newest' }, ['a/new', 'a/old', 'b/eyes', 'b/free', 'b/brush']],
  [{ order: 'pricing-low-to-high' }, ['b/free', 'a/old', 'a/new', 'b/eyes', 'b/brush']],
  [{ order: 'pricing-high-to-low' }, ['b/eyes', 'a/old', 'a/new', 'b/free', 'b/brush']],
  [{ order: 'context-high-to-low' }, ['a/new', 'a/old', 'b/eyes', 'b/brush', 'b/free']],
])('the filter %j keeps the right models in the right order', (filter, ids) => {
  expect(idsOf(filter)).toEqual(ids)
})

test('ordering neither adds nor loses a model, whatever its prices', () => {
  fc.assert(
    fc.property(fc.array(prices), fc.constantFrom(...MODEL_ORDERS), (known, order) => {
      const some = known.map((each, index) => someModel({ id: `m/${index}`, prices: each }))
      const ordered = filterModels(some, { kinds, order })
      expect(new Set(ordered)).toEqual(new Set(some))
      expect(ordered).toHaveLength(some.length)
    }),
    { numRuns: 50 },
  )
})
