import { expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { embedInSandbox } from './embed-in-sandbox'

/** OpenAI's own client talking to the practice embedder, without a network in between. */
const client = new OpenAI({
  apiKey: 'sk-practice',
  baseURL: 'http://sandbox.test/v1',
  maxRetries: 0,
  fetch: (url, init) => embedInSandbox(new Request(url, init)),
})
const model = 'sandbox/embedder'

function product(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

test('texts with common words have closer embeddings', async () => {
  const input = ['a copper coin', 'A silver coin', 'rain over the sea']
  const { data, usage } = await client.embeddings.create({ model, input })
  const [copper = [], silver = [], rain = []] = data.map(({ embedding }) => embedding)
  expect(product(copper, copper)).toBeCloseTo(1)
  expect(product(copper, silver)).toBeGreaterThan(product(copper, rain) + 0.3)
  expect(usage).toEqual({ prompt_tokens: 12, total_tokens: 12 })
})

test('floats and fewer dimensions can be requested', async () => {
  const asked = { model, input: [[1, 2], [3]], dimensions: 4, encoding_format: 'float' as const }
  const { data, usage } = await client.embeddings.create(asked)
  expect(data.map(({ embedding }) => embedding.length)).toEqual([4, 4])
  expect(usage.prompt_tokens).toBe(3)
})

test.each([
  [{ model: 'gpt-4o', input: 'a' }, 'model_not_found'],
  [{ model, input: [] }, 'invalid_request'],
])('%j is refused', async (body, code) => {
  const request = new Request('http://sandbox.test/v1', { method: 'POST', body: JSON.stringify(body) })
  await expect(embedInSandbox(request)).rejects.toMatchObject({ code })
})
