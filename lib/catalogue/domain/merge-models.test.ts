import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { formatDecimal, ZERO } from '@/lib/money/decimal'
import { mergeModels } from './merge-models'
import type { OperatorModel } from './parse-model-prices'
import { parseUpstreamModels } from './parse-upstream-models'
import { decimal, somePrices } from './testing'
import { withUnlistedPrices } from './unlisted-prices'
import { type UpstreamModel, unlistedModel } from './upstream-model'

function listed(id: string, prompt: string | null, fields: Partial<UpstreamModel> = {}): UpstreamModel {
  return {
    ...unlistedModel(id),
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
  canReason: null,
  voices: null,
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
  test.each([
    ['perplexity/sonar', false],
    ['openai/o4-mini-deep-research', false],
    ['x-ai/grok-4.20-multi-agent', false],
    ['sakana/fugu-ultra', false],
    ['openai/gpt-4o', true],
  ])(
    'that searches or sets others to work by itself is not listed without a price for that: %s',
    (id, isOffered) => {
      expect(merge([list('one', [listed(id, '0.000001')])])).toHaveLength(isOffered ? 1 : 0)
      expect(merge([list('one', [listed(id, '0.000001')])], new Map([[id, operator()]]))).toHaveLength(1)
    },
  )

  test('of OpenAI also has the prices that OpenAI bills but does not list', () => {
    const models = new Map([['gpt-5.6', operator()]])
    const [model] = mergeModels({
      lists: [list('one', [listed('gpt-5.6', null)])],
      operatorModels: models,
      priceMarkup: ZERO,
    })
    expect(model?.prices).toEqual(withUnlistedPrices('gpt-5.6', operator().prices))
    expect(model?.prices).not.toEqual(operator().prices)
  })

  test('without a usable price anywhere is not listed, never free', () => {
    expect(merge([list('one', [listed('a', null), listed('b', '-1'), listed('c', 'NaN')])])).toEqual([])
  })

  test('that draws is charged per picture or by tokens, and is not listed without a price', () => {
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
      ['by-token', '0.001', '0.00004'],
    ])
  })

  test('of a kind that this site does not offer is not listed', () => {
    const moderation = listed('omni-moderation-latest', '0')
    const video = listed('video', '0', { outputModalities: ['video'] })
    expect(merge([list('one', [moderation, video])])).toEqual([])
  })

  test('has the price of the first upstream, and keeps the upstreams that are not more expensive', () => {
    const lists = [
      list('one', [listed('a', '2e-6')]),
      list('two', [listed('a', '3e-6'), listed('b', '3e-6')]),
      list('three', [listed('a', '2e-6')]),
      list('four', [listed('a', '1e-6')]),
    ]
    expect(merge(lists)).toEqual([
      { id: 'a', prompt: '0.000002', upstreamIds: ['one', 'three', 'four'] },
      { id: 'b', prompt: '0.000003', upstreamIds: ['two'] },
    ])
  })

  test('that is free at one upstream is not sent to one that charges', () => {
    const lists = [list('one', [listed('a', '0')]), list('two', [listed('a', '1e-6')])]
    expect(merge(lists)).toMatchObject([{ id: 'a', upstreamIds: ['one'] }])
  })

  test('is not sent to an upstream that is more expensive for long prompts or at some hours', () => {
    const long = (prompt: string) => ({
      pricing: {
        prompt: '1e-6',
        completion: '1e-6',
        overrides: [{ min_prompt_tokens: '1000', prompt, completion: '1e-6' }],
      },
    })
    const lists = (first: object, second: object) => [
      list('one', [listed('a', '1e-6', first)]),
      list('two', [listed('a', '1e-6', second)]),
    ]
    const upstreamsOf = (given: ReturnType<typeof lists>) => merge(given)[0]?.upstreamIds
    expect(upstreamsOf(lists({}, long('2e-6')))).toEqual(['one'])
    expect(upstreamsOf(lists(long('2e-6'), long('3e-6')))).toEqual(['one'])
    expect(upstreamsOf(lists(long('2e-6'), long('2e-6')))).toEqual(['one', 'two'])
  })

  test('is not sent to an upstream where that name is a model of another kind', () => {
    const painter = listed('a', '1e-6', {
      outputModalities: ['image'],
      pricing: { prompt: '0', completion: '0', image: '0.04' },
    })
    expect(merge([list('one', [listed('a', '1e-6')]), list('two', [painter])])).toMatchObject([
      { upstreamIds: ['one'] },
    ])
    const pricing = { prompt: '1e-6', completion: '1e-6' }
    const lists = [
      list('one', [listed('a', null, { pricing })]),
      list('two', [listed('a', null, { pricing, outputModalities: ['image'] })]),
    ]
    expect(merge(lists)).toMatchObject([{ upstreamIds: ['one'] }])
  })

  test('can reason according to its list, else to the operator, else to its name', () => {
    const canReason = (id: string, told: boolean | null, ofOperator: boolean | null) => {
      const operatorModels = new Map([[id, operator({ canReason: ofOperator })]])
      const lists = [list('one', [listed(id, '1e-6', { canReason: told })])]
      return mergeModels({ lists, operatorModels, priceMarkup: ZERO })[0]?.canReason
    }
    expect(canReason('o3', false, null)).toBe(false)
    expect(canReason('o3', null, null)).toBe(true)
    expect(canReason('gpt-4o', true, null)).toBe(true)
    expect(canReason('gpt-4o', false, true)).toBe(true)
    expect(canReason('gpt-4o', null, null)).toBe(false)
  })

  test.each([
    [[8_000, 200_000, 32_000], 200_000],
    [[8_000, null], 8_000],
    [[null, 8_000], null],
  ])('has the context length of the first upstream, and a bound for all: %j', (lengths, lengthMax) => {
    const lists = lengths.map((contextLength, index) =>
      list(`host ${index}`, [listed('a', '1e-6', { contextLength })]),
    )
    const [model] = mergeModels({ lists, operatorModels: none, priceMarkup: ZERO })
    expect(model).toMatchObject({ contextLength: lengths[0], contextLengthMax: lengthMax })
  })

  test('is not sent to an upstream whose price for it is unusable', () => {
    const lists = [list('one', [listed('a', '-1')]), list('two', [listed('a', '2e-6')])]
    expect(merge(lists)).toEqual([{ id: 'a', prompt: '0.000002', upstreamIds: ['two'] }])
  })

  test('that is free on this machine never falls back to an upstream that charges, nor the reverse', () => {
    const local = list('local', [listed('a', null)], true)
    const paid = list('paid', [listed('a', '1e-6')])
    expect(merge([local, paid])).toEqual([{ id: 'a', prompt: '0', upstreamIds: ['local'] }])
    expect(merge([paid, local])).toEqual([{ id: 'a', prompt: '0.000001', upstreamIds: ['paid'] }])
  })
})

describe("the operator's prices", () => {
  const operatorModels = new Map([['a', operator({ name: 'Ours', contextLength: 4_000, kind: 'image' })]])

  test('make a list without prices usable, and override published ones', () => {
    const lists = [list('one', [listed('a', null)]), list('two', [listed('a', '1e-6')])]
    expect(merge(lists, operatorModels)).toEqual([
      { id: 'a', prompt: '0.000009', upstreamIds: ['one', 'two'] },
    ])
  })

  test('do not add models to an upstream that lists its models', () => {
    expect(merge([list('one', [])], operatorModels)).toEqual([])
  })

  test('are the list of an upstream that publishes no models', () => {
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

test('models of OpenRouter are not listed if their price is not understood or not charged by every call', () => {
  const models = parseUpstreamModels(readFileSync('test/fixtures/catalogue/openrouter-models.json', 'utf8'))
  const merged = mergeModels({ lists: [list('one', models)], operatorModels: none, priceMarkup: ZERO })
  expect(merged.map(({ id }) => id)).toEqual([
    'anthropic/claude-sonnet-4.5',
    'openai/gpt-4o-mini',
    'google/gemini-2.5-flash-image',
    'z-ai/glm-4.5-air:free',
    'anthropic/claude-fable-5.1',
    'google/gemini-2.5-pro',
    'deepseek/deepseek-v4-pro-0813',
    'openai/gpt-audio',
  ])
  const priceOfSound = merged.find(({ id }) => id === 'openai/gpt-audio')?.prices.outputAudio
  expect(priceOfSound).toEqual(decimal('0.000064'))
})
