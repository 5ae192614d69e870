import { expect, test } from '@jest/globals'
import { upstreamDialect } from './upstream-dialect'

test.each([
  'https://generativelanguage.googleapis.com/v1beta/openai',
  'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1',
  'https://api.mistral.ai/v1',
  'https://api.inference.net/v1',
  'https://api.01.ai/v1',
])('%s writes on when it is left', baseUrl => {
  expect(upstreamDialect(baseUrl).writesOn).toBe(true)
})

test.each([
  'https://api.openai.com/v1',
  'https://llm.eu-central-1.compute.amazonaws.com/v1',
  'http://mistral:8000/v1',
  'http://google-gemma.models.svc.cluster.local/v1',
  'http://mistral.internal:8000/v1',
])('%s stops when it is left, whatever an operator calls a machine of their own', baseUrl => {
  expect(upstreamDialect(baseUrl).writesOn).toBe(false)
})
