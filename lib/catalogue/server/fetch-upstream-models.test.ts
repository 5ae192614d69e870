import { expect, test } from '@jest/globals'
import { modelsAddress } from './fetch-upstream-models'

test.each([
  [
    'https://openrouter.ai/api/v1',
    'https://openrouter.ai/api/v1/models?output_modalities=text,image,embeddings',
  ],
  [
    'https://eu.openrouter.ai/api/v1',
    'https://eu.openrouter.ai/api/v1/models?output_modalities=text,image,embeddings',
  ],
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/models'],
  ['https://notopenrouter.ai/v1', 'https://notopenrouter.ai/v1/models'],
  ['https://openrouter.ai.test/v1', 'https://openrouter.ai.test/v1/models'],
])('the models of %s are listed at %s', (baseUrl, address) => {
  expect(modelsAddress(baseUrl)).toBe(address)
})
