import { describe, expect, test } from '@jest/globals'
import { formatDecimal } from '@/lib/money/decimal'
import { parseModelPrices } from './parse-model-prices'

describe('a malformed file is refused with its place', () => {
  test.each([
    ['not json', 'its top'],
    ['[]', 'its top'],
    ['{"a": 1}', 'a:'],
    ['{"a": {}}', 'a: prompt and completion'],
    ['{"a": {"prompt": "0.1"}}', 'a: prompt and completion'],
    ['{"a": {"prompt": "-1", "completion": "0"}}', 'a: prompt and completion'],
    ['{"a": {"prompt": 1e309, "completion": 0}}', 'a: prompt and completion'],
    ['{"a": {"prompt": "0", "completion": "0", "kind": "video"}}', 'a.kind'],
    ['{"a": {"prompt": "0", "completion": "0", "context_length": -4}}', 'a.context_length'],
  ])('%s', (text, place) => {
    expect(parseModelPrices(text)).toEqual({ outcome: 'malformed', problem: expect.stringContaining(place) })
  })
})

test('the tokens of pictures are the output of a model that only draws, and of no other', () => {
  const pricing = '{"prompt": "0.000005", "completion": "0", "image_output": "0.00004"}'
  const result = parseModelPrices(`{"gpt-image-1": ${pricing}, "gemini-flash": ${pricing}}`)
  const models = result.outcome === 'parsed' ? result.models : new Map()
  expect(formatDecimal(models.get('gpt-image-1').prices.completion)).toBe('0.00004')
  expect(formatDecimal(models.get('gemini-flash').prices.completion)).toBe('0')
})

test('prices may be texts or numbers, with details or without', () => {
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
