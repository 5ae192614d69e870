import { expect, test } from '@jest/globals'
import { decimal, someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { modelToBody } from './models'

test("a model has OpenAI's fields and OpenRouter's, with what this site charges", () => {
  const model = someModel({
    id: 'vendor/model:free',
    name: 'Vendor: Model',
    createdAtSeconds: 1_700_000_000,
    outputTokenCountMax: 4_096,
    inputModalities: ['text', 'image'],
    expiresAtSeconds: Date.UTC(2026, 11, 31) / 1_000,
    supportedParameters: ['max_tokens', 'tools'],
    reasoning: { efforts: ['high', 'low'], mandatory: true },
    prices: somePrices(
      {
        prompt: '1.5e-7',
        completion: '0.0000006',
        inputCacheRead: '7.5e-8',
        inputAudio: '0.00001',
        outputAudio: '0.00002',
        webSearch: '0.01',
      },
      [{ inputTokenCountAbove: 4_000, window: null, prices: { prompt: decimal('3e-7') } }],
    ),
  })
  expect(modelToBody(model)).toEqual({
    id: 'vendor/model:free',
    canonical_slug: 'vendor/model:free',
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
      audio: '0.00001',
      audio_output: '0.00002',
      input_cache_read: '0.000000075',
      web_search: '0.01',
      overrides: [{ min_prompt_tokens: 4_000, prompt: '0.0000003' }],
    },
    top_provider: { context_length: 8_000, max_completion_tokens: 4_096, is_moderated: false },
    per_request_limits: null,
    supported_parameters: ['max_tokens', 'tools'],
    default_parameters: null,
    supported_voices: null,
    reasoning: { mandatory: true, supported_efforts: ['high', 'low'] },
    expiration_date: '2026-12-31',
    links: { details: '/v1/models/vendor/model:free' },
  })
})
