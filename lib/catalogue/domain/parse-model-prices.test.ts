import { describe, expect, test } from '@jest/globals'
import { formatDecimal } from '@/lib/money/decimal'
import { parseModelPrices } from './parse-model-prices'

describe('a malformed file is refused, with the place of the fault', () => {
  test.each([
    ['not json', 'the top level'],
    ['[]', 'the top level'],
    ['{"a": 1}', 'a:'],
    ['{"a": {}}', 'a: expected prompt and completion'],
    ['{"a": {"prompt": "0.1"}}', 'a: expected prompt and completion'],
    ['{"a": {"prompt": "-1", "completion": "0"}}', 'a.prompt'],
    ['{"a": {"prompt": 1e309, "completion": 0}}', 'a.prompt'],
    ['{"a": {"prompt": 0, "completion": 0, "input_cache_wirte": 1e-6}}', 'a.input_cache_wirte'],
    ['{"a": {"prompt": 0, "completion": 0, "overrides": [{"above": 5, "prompt": 1}]}}', 'a.overrides'],
    ['{"a": {"prompt": 0, "completion": 0, "reasoning": "yes"}}', 'a.reasoning'],
    ['{"dall-e-3": {"prompt": 0, "image_output": 0}}', 'dall-e-3: expected prompt and completion'],
    ['{"a": {"prompt": "0", "completion": "0", "kind": "video"}}', 'a.kind'],
    ['{"a": {"prompt": "0", "completion": "0", "context_length": -4}}', 'a.context_length'],
    ['{"a": {"prompt": "0", "completion": "0", "voices": []}}', 'a.voices'],
    [
      '{"qwen3-max": {"prompt": 1e-6, "completion": 6e-6}}',
      'qwen3-max: its maker bills long prompts in steps',
    ],
    ['{"b/qwen3-coder-plus-2025-09-23": {"prompt": 1e-6, "completion": 6e-6}}', 'in steps'],
    ['{"doubao-seed-1-6-250615": {"prompt": 1e-6, "completion": 6e-6}}', 'in steps'],
  ])('%s', (text, place) => {
    expect(parseModelPrices(text)).toEqual({ outcome: 'malformed', problem: expect.stringContaining(place) })
  })
})

test('picture tokens can be the output price only of a model that just draws', () => {
  const pricing = '{"prompt": "0.000005", "completion": "0", "image_output": "0.00004"}'
  const result = parseModelPrices(`{"gpt-image-1": ${pricing}, "gemini-flash": ${pricing}}`)
  const models = result.outcome === 'parsed' ? result.models : new Map()
  expect(formatDecimal(models.get('gpt-image-1').prices.completion)).toBe('0.00004')
  expect(formatDecimal(models.get('gemini-flash').prices.completion)).toBe('0')
})

test('a model without text output needs only an input price', () => {
  const result = parseModelPrices(
    '{"text-embedding-3-small": {"prompt": "2e-8"}, "b": {"prompt": 1e-8, "kind": "embedding"}}',
  )
  const models = result.outcome === 'parsed' ? result.models : new Map()
  expect([...models.keys()]).toEqual(['text-embedding-3-small', 'b'])
})

test('prices can be strings or numbers, with or without details', () => {
  const result = parseModelPrices(
    `{"a": {"prompt": "0.000001", "completion": 2.5e-6, "image": "0.01", "name": "A", "context_length": 8000, "kind": "image"},
      "b/c:d": {"prompt": 0, "completion": 0, "comment": "ours"}}`,
  )
  const models = result.outcome === 'parsed' ? result.models : new Map()
  expect([...models.keys()]).toEqual(['a', 'b/c:d'])
  expect(models.get('a')).toMatchObject({ name: 'A', contextLength: 8000, kind: 'image' })
  expect(formatDecimal(models.get('a').prices.completion)).toBe('0.0000025')
  expect(models.get('b/c:d')).toMatchObject({ name: null, contextLength: null, kind: null })
})

test.each([
  '{"qwen3-max": {"prompt": 1e-6, "completion": 6e-6, "overrides": []}}',
  '{"qwen-plus": {"prompt": 1e-6, "completion": 6e-6, "overrides": [{"min_prompt_tokens": 128000, "prompt": 3e-6}]}}',
  '{"Qwen/Qwen3-Coder-480B-A35B-Instruct": {"prompt": 1e-6, "completion": 6e-6}}',
  '{"qwen3-tts-flash": {"input_character": 1e-5}}',
])(
  'a model whose maker bills long prompts in steps is priced with them, or by a word that there are none: %s',
  text => {
    expect(parseModelPrices(text).outcome).toBe('parsed')
  },
)

test('every price and the reasoning flag can be given', () => {
  const result = parseModelPrices(
    `{"a": {"prompt": 1e-6, "completion": 2e-6, "audio": 1e-5, "audio_output": 2e-5, "web_search": 0.01,
            "input_cache_write": 1.25e-6, "reasoning": true,
            "overrides": [{"min_prompt_tokens": 200000, "prompt": 2e-6}]}}`,
  )
  const model = result.outcome === 'parsed' ? result.models.get('a') : undefined
  expect(model).toMatchObject({
    canReason: true,
    prices: {
      inputAudio: { coefficient: 1n, scale: 5 },
      outputAudio: { coefficient: 2n, scale: 5 },
      webSearch: { coefficient: 1n, scale: 2 },
      inputCacheWrite: { coefficient: 125n, scale: 8 },
      overrides: [{ inputTokenCountAbove: 200_000, window: null, prices: { prompt: { coefficient: 2n } } }],
    },
  })
})
