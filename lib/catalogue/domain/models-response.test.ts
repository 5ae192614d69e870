import { describe, expect, test } from '@jest/globals'
import { modelsResponse, parseTypes } from './models-response'
import { someModel, somePrices } from './testing'

describe('type', () => {
  test.each(['video', '', 'chat,', 'constructor'])('%j is unknown', query => {
    expect(parseTypes(query)).toBeNull()
  })

  test.each([
    [null, ['chat', 'image', 'speech', 'transcription']],
    ['chat', ['chat']],
    ['chat, image', ['chat', 'image']],
    ['audio', ['speech', 'transcription']],
  ])('%j is %j', (query, kinds) => {
    expect([...(parseTypes(query) ?? [])]).toEqual(kinds)
  })
})

test("a list has OpenAI's fields and OpenRouter's, with what this site charges", () => {
  const model = someModel({
    id: 'vendor/model:free',
    name: 'Vendor: Model',
    createdAtSeconds: 1_700_000_000,
    outputTokenCountMax: 4_096,
    inputModalities: ['text', 'image'],
    prices: somePrices({ prompt: '1.5e-7', completion: '0.0000006', inputCacheRead: '7.5e-8' }),
  })
  const image = someModel({ id: 'painter', kind: 'image' })
  expect(modelsResponse([model, image], new Set(['chat']))).toEqual({
    object: 'list',
    data: [
      {
        id: 'vendor/model:free',
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'vendor',
        name: 'Vendor: Model',
        description: '',
        type: 'chat',
        context_length: 8_000,
        architecture: {
          modality: 'text+image->text',
          input_modalities: ['text', 'image'],
          output_modalities: ['text'],
        },
        pricing: {
          prompt: '0.00000015',
          completion: '0.0000006',
          request: '0',
          image: '0',
          input_cache_read: '0.000000075',
        },
        top_provider: { context_length: 8_000, max_completion_tokens: 4_096 },
      },
    ],
  })
})
