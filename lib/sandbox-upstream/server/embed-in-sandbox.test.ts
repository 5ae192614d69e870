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
const embed = (body: object) =>
  embedInSandbox(new Request('http://sandbox.test/v1', { method: 'POST', body: JSON.stringify(body) }))

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

test('a text that is much too long is refused by its length alone', async () => {
  await expect(embed({ model, input: 'word '.repeat(60_000) })).rejects.toThrow('about 25000.')
})

test('others get a turn between texts', async () => {
  let turnCount = 0
  const count = () => {
    turnCount += 1
    return setImmediate(() => {
      next = count()
    })
  }
  let next = count()
  await embed({ model, input: Array(500).fill('a') })
  clearImmediate(next)
  expect(turnCount).toBeGreaterThan(500)
})

test.each([
  [{ model: 'gpt-4o', input: 'a' }, 'model_not_found'],
  [{ model, input: [] }, 'invalid_request'],
  [{ model, input: ['short', 'long '.repeat(8_001)] }, 'context_length_exceeded'],
  [{ model, input: Array(8_001).fill(1) }, 'context_length_exceeded'],
])('%.60j is refused', async (body, code) => {
  await expect(embed(body)).rejects.toMatchObject({ code })
})
