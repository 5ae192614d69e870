import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { estimateEverydayMessage as everyday } from '@/lib/exchange/client/outgoing'
import { parseModelList } from '../chat-model'
import { curateModels } from './curated-models'
import { ABILITIES, factsOf, MODEL_SORTS, searchModels } from './model-facts'
import { nearestModel } from './short-notice'

const price = fc.integer({ min: 0, max: 600 }).map(tenths => String(tenths / 1e7))
const entry = fc.record({
  name: fc.constantFrom('Ash', 'Birch', 'Cedar', 'ash tree'),
  owned_by: fc.constantFrom('forest', 'garden', ''),
  created: fc.integer({ min: 0, max: 2_000_000_000 }),
  context_length: fc.option(fc.constantFrom(4_096, 32_000, 1_000_000)),
  type: fc.constantFrom('chat', 'chat', 'chat', 'image'),
  expiration_date: fc.option(fc.constantFrom('2026-12-24', 'soon'), { freq: 3 }),
  architecture: fc.record({
    input_modalities: fc.subarray(['text', 'image', 'file', 'audio']),
    output_modalities: fc.subarray(['text', 'image', 'audio']),
  }),
  supported_parameters: fc.subarray(['tools', 'reasoning', 'temperature']),
  pricing: fc.record({ prompt: price, completion: price }),
})
const models = fc
  .array(entry, { maxLength: 60 })
  .map(entries => parseModelList({ data: entries.map((each, index) => ({ ...each, id: `maker/${index}` })) }))
const abilityWords = {
  pictures: 'Sees',
  draws: 'Draws',
  documents: 'Reads',
  reasoning: 'Thinks',
  tools: 'Uses tools',
  speech: 'Hears',
}
const search = fc.record({
  query: fc.constantFrom('', 'ash', 'ASH maker', 'forest', 'thinks tools', 'nobody'),
  abilities: fc.subarray([...ABILITIES]).map(all => new Set(all)),
  sort: fc.constantFrom('suggested' as const, ...MODEL_SORTS),
})

describe('the search for a model', () => {
  test('finds exactly the models that have each word and each ability', () => {
    fc.assert(
      fc.property(models, search, (all, wanted) => {
        const found = searchModels(all, wanted, { priceOf: everyday, abilityWords })
        const expected = all.filter(model => {
          const { maker, abilities } = factsOf(model)
          const words = [...abilities].map(ability => abilityWords[ability]).join(' ')
          const text = `${model.name} ${model.id} ${maker} ${words}`.toLowerCase()
          const isAble = [...wanted.abilities].every(ability => abilities.has(ability))
          return (
            isAble &&
            wanted.query
              .toLowerCase()
              .split(' ')
              .every(word => text.includes(word))
          )
        })
        expect(new Set(found)).toEqual(new Set(expected))
        expect(found).toHaveLength(expected.length)
      }),
    )
  })

  test('sorts as asked, with unknown values last', () => {
    fc.assert(
      fc.property(models, all => {
        const by = (sort: 'suggested' | (typeof MODEL_SORTS)[number]) =>
          searchModels(all, { query: '', abilities: new Set(), sort }, { priceOf: everyday, abilityWords })
        expect(by('suggested')).toEqual(all)
        const windows = by('context').map(({ windowTokens }) => windowTokens ?? -1)
        expect(windows).toEqual([...windows].sort((left, right) => right - left))
        const ages = by('newest').map(model => factsOf(model).createdAtSeconds)
        expect(ages).toEqual([...ages].sort((left, right) => right - left))
        const prices = by('price').map(model => Number(everyday(model)))
        expect(prices).toEqual([...prices].sort((left, right) => left - right))
      }),
    )
  })

  test('puts a model whose name matches before one whose maker matches', () => {
    const all = parseModelList({
      data: [
        { id: 'oak/one', name: 'One', owned_by: 'oak', pricing: { prompt: '1', completion: '1' } },
        { id: 'x/two', name: 'Two, by oak', pricing: { prompt: '1', completion: '1' } },
        { id: 'x/three', name: 'Oak', pricing: { prompt: '1', completion: '1' } },
      ],
    })
    const found = searchModels(
      all,
      { query: 'oak', abilities: new Set(), sort: 'suggested' },
      { priceOf: everyday, abilityWords },
    )
    expect(found.map(({ name }) => name)).toEqual(['Oak', 'One', 'Two, by oak'])
  })

  test.each(['réfléchit', 'reflechit', 'REFLE\u0301CHIT'])(
    'finds an ability however it is typed: %s',
    query => {
      const all = parseModelList({
        data: [
          { id: 'x/one', name: 'One', pricing: { prompt: '1', completion: '1' } },
          {
            id: 'x/two',
            name: 'Two',
            pricing: { prompt: '1', completion: '1' },
            supported_parameters: ['reasoning'],
          },
        ],
      })
      const found = searchModels(
        all,
        { query, abilities: new Set(), sort: 'suggested' },
        { priceOf: everyday, abilityWords: { ...abilityWords, reasoning: 'Réfléchit' } },
      )
      expect(found.map(({ name }) => name)).toEqual(['Two'])
    },
  )

  test('ignores facts in the list that have the wrong type', () => {
    const [odd] = parseModelList({
      data: [
        {
          id: 'odd',
          pricing: { prompt: '1', completion: '1' },
          owned_by: 7,
          description: ['no text'],
          created: -1,
          expiration_date: '2026-99-99',
          architecture: 'text',
          supported_parameters: 'tools',
        },
      ],
    })
    expect(odd && factsOf(odd)).toEqual({
      maker: '',
      description: '',
      createdAtSeconds: 0,
      withdrawnOn: null,
      abilities: new Set(),
    })
  })
})

describe('the models for beginners', () => {
  test('are suitable, distinct, in rising price, and independent of the order of the list', () => {
    fc.assert(
      fc.property(models, all => {
        const curated = curateModels(all, {})
        const chosen = [...curated.values()]
        expect(new Set(chosen).size).toBe(chosen.length)
        for (const model of chosen) {
          expect(model.draws).toBe(false)
          expect(factsOf(model).withdrawnOn).toBeNull()
          expect(Number(everyday(model))).toBeGreaterThan(0)
        }
        const paid = all.filter(
          model => !model.draws && factsOf(model).withdrawnOn === null && everyday(model),
        )
        if (paid.length >= 12) {
          expect([...curated.keys()]).toEqual(['quick', 'balanced', 'best'])
          const prices = chosen.map(model => Number(everyday(model)))
          expect(prices).toEqual([...prices].sort((left, right) => left - right))
        }
        expect(curateModels([...all].reverse(), {})).toEqual(curated)
      }),
    )
  })

  test('are the ones that the operator names, if the list has them', () => {
    fc.assert(
      fc.property(models, fc.nat(80), (all, index) => {
        const id = `maker/${index}`
        const curated = curateModels(all, { balanced: id })
        const named = all.find(model => model.id === id)
        if (named) expect(curated.get('balanced')).toBe(named)
        else expect(curated).toEqual(curateModels(all, {}))
      }),
    )
  })
})

test('the nearest model is usable, and none with the same abilities is nearer in price', () => {
  fc.assert(
    fc.property(models, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (all, useful) => {
      const isUseful = (model: (typeof all)[number]) => useful[all.indexOf(model)] === true
      const [first] = all
      if (!first) return
      const nearest = nearestModel(first, all, isUseful, everyday)
      const able = all.filter(model => model !== first && model.draws === first.draws && isUseful(model))
      if (!nearest) return expect(able).toEqual([])
      expect(able).toContain(nearest)
      const twins = able.filter(model => everyday(model) === everyday(first))
      const keeps = (model: (typeof all)[number]) =>
        [...factsOf(first).abilities].every(ability => factsOf(model).abilities.has(ability))
      if (twins.some(keeps)) expect([everyday(nearest), keeps(nearest)]).toEqual([everyday(first), true])
    }),
  )
})
