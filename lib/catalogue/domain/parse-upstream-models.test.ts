import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatDecimal } from '@/lib/money/decimal'
import { parseUpstreamModels } from './parse-upstream-models'
import { unlistedModel } from './upstream-model'
import { usablePrices } from './usable-prices'

const fixture = (name: string) => readFileSync(`test/fixtures/catalogue/${name}.json`, 'utf8')
const list = (...data: unknown[]) => JSON.stringify({ data })

describe('an answer that is not a list of models', () => {
  test.each([
    '',
    'null',
    '<html>',
    '{}',
    '{"data":null}',
    '{"data":"x"}',
    '{"error":{"message":"no"}}',
    '12',
  ])('%j', text => {
    expect(parseUpstreamModels(text)).toBeNull()
  })

  test('any text gives null or a list, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        const models = parseUpstreamModels(text)
        return models === null || Array.isArray(models)
      }),
    )
  })
})

describe('entries', () => {
  test.each([
    [null],
    ['x'],
    [{}],
    [{ id: '' }],
    [{ id: 'a b' }],
    [{ id: 'a\u0000' }],
    [{ id: 'x'.repeat(201) }],
    [{ id: { length: { toString: 1 } } }],
  ])('that cannot be read are dropped: %j', entry => {
    expect(parseUpstreamModels(list(entry, { id: 'good' }))?.map(model => model.id)).toEqual(['good'])
  })

  test('with wrong types in details keep the readable rest', () => {
    const odd = {
      id: 'odd',
      name: 5,
      created: 'now',
      context_length: -1,
      architecture: [],
      pricing: [],
      top_provider: 1,
      supported_parameters: 'all',
      reasoning: 'yes',
      expiration_date: 'never',
    }
    expect(parseUpstreamModels(list(odd))).toEqual([{ ...unlistedModel('odd'), name: '5' }])
  })

  test('with the same id are listed once, and the first one wins', () => {
    const models = parseUpstreamModels(list({ id: 'a', name: 'first' }, { id: 'a', name: 'second' }))
    expect(models?.map(model => model.name)).toEqual(['first'])
  })

  test('with a price of a wrong type are unusable, not free', () => {
    const [model] =
      parseUpstreamModels(list({ id: 'a', pricing: { prompt: '0', completion: '0', request: [] } })) ?? []
    expect(usablePrices(model?.pricing ?? null)).toBeNull()
  })
})

test('a price written as a number is read exactly, from its digits', () => {
  const text = '{"data":[{"id":"a","pricing":{"prompt":0.00000010000000000000000001,"completion":1.50e-7}}]}'
  expect(parseUpstreamModels(text)?.[0]?.pricing).toEqual({
    prompt: '0.00000010000000000000000001',
    completion: '1.50e-7',
  })
})

test('a bare array is read as a list', () => {
  expect(parseUpstreamModels('[{"id":"a"}]')).toHaveLength(1)
})

test("OpenRouter's list is read with details and prices, and its placeholder price -1 is unusable", () => {
  const models = parseUpstreamModels(fixture('openrouter-models')) ?? []
  const usable = models.flatMap(model => {
    const prices = usablePrices(model.pricing)
    return prices ? [[model.id, formatDecimal(prices.prompt)]] : []
  })
  expect(usable).toEqual([
    ['anthropic/claude-sonnet-4.5', '0.000003'],
    ['openai/gpt-4o-mini', '0.00000015'],
    ['google/gemini-2.5-flash-image', '0.0000003'],
    ['z-ai/glm-4.5-air:free', '0'],
    ['anthropic/claude-fable-5.1', '0.00001'],
    ['google/gemini-2.5-pro', '0.00000125'],
    ['deepseek/deepseek-v4-pro-0813', '0.00000066'],
    ['openai/gpt-audio', '0.0000025'],
    ['vendor/only-sound-costs', '0'],
  ])
  expect(models[0]).toMatchObject({
    name: 'Anthropic: Claude Sonnet 4.5',
    createdAtSeconds: 1759161676,
    contextLength: 1000000,
    outputTokenCountMax: 64000,
    inputModalities: ['text', 'image', 'file'],
    outputModalities: ['text'],
  })
})

test("OpenRouter's list is read with reasoning, supported parameters and expiration", () => {
  const models = parseUpstreamModels(fixture('openrouter-models')) ?? []
  const told = (id: string) => models.find(model => model.id === id)
  expect(told('anthropic/claude-fable-5.1')).toMatchObject({
    canReason: true,
    reasoning: { efforts: ['high', 'low'], mandatory: true },
    supportedParameters: ['include_reasoning', 'max_tokens', 'reasoning', 'tools'],
    expiresAtSeconds: Date.UTC(2027, 2, 31) / 1_000,
  })
  expect(told('openai/gpt-4o-mini')).toMatchObject({ canReason: false, expiresAtSeconds: null })
  expect(told('google/gemini-2.5-flash-image')).toMatchObject({ canReason: null, supportedParameters: null })
})

test.each<[string, object, string[] | null]>([
  ['its own list, each once', { reasoning: { supported_efforts: ['max', 'low', 'low'] } }, ['max', 'low']],
  ['the usual ones without a list', { reasoning: { supported_efforts: null } }, ['high', 'medium', 'low']],
  [
    'the usual ones for the bare parameter',
    { supported_parameters: ['reasoning_effort'] },
    ['high', 'medium', 'low'],
  ],
  ['none where the list is empty', { reasoning: { supported_efforts: [] } }, null],
  ['none where the list is nonsense', { reasoning: { supported_efforts: ['<b>'] } }, null],
  ['none for a model that only may think', { supported_parameters: ['reasoning'] }, null],
])('the reasoning efforts of a model are read: %s', (_, fields, efforts) => {
  const [model] = parseUpstreamModels(list({ id: 'a', ...fields })) ?? []
  expect(model?.reasoning?.efforts ?? null).toEqual(efforts)
})

test.each(['openai-models', 'ollama-models', 'llama-cpp-models', 'vllm-models'])(
  'a list without prices (%s) is read, and no model in it is usable without operator prices',
  name => {
    const models = parseUpstreamModels(fixture(name)) ?? []
    expect(models.length).toBeGreaterThan(0)
    expect(models.map(model => usablePrices(model.pricing))).toEqual(models.map(() => null))
  },
)
