import { describe, expect, test } from '@jest/globals'
import { someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { withPricedCacheMarks } from './cache-marks'

const TOLD = { prompt: '0.000003', completion: '0.000015' }
const unpriced = someModel({ id: 'claude-sonnet-4-5', prices: somePrices(TOLD) })
const free = someModel({ ...unpriced, prices: somePrices({ ...TOLD, inputCacheWrite: '0' }) })
const priced = someModel({
  id: 'claude-sonnet-4-5',
  prices: somePrices({ ...TOLD, inputCacheWrite: '0.00000375' }),
})
const pricedLong = someModel({
  id: 'claude-sonnet-4-5',
  prices: somePrices({ ...TOLD, inputCacheWrite: '0.00000375', inputCacheWriteLong: '0.000006' }),
})
const google = someModel({ ...pricedLong, id: 'vertex/gemini-3-pro' })

const marked = (cache_control: unknown) => ({
  model: 'm',
  cache_control,
  messages: [
    { role: 'user', cache_control, content: [{ type: 'text', text: 'Hi', cache_control }] },
    { role: 'assistant', tool_calls: [{ id: '1', cache_control }], thinking_blocks: [[{ cache_control }]] },
  ],
  tools: [
    {
      type: 'function',
      cache_control,
      function: { name: 'a', cache_control, parameters: { properties: { cache_control: {} } } },
    },
  ],
})
const marksIn = (body: unknown) => JSON.stringify(body).match(/"cache_control":\{"type[^}]*\}/g) ?? []

describe('a host that is no router', () => {
  test.each([
    ['has no price for writing to a cache', [unpriced]],
    ['has one of zero, which means the same', [free]],
    ['has none for a fallback', [priced, unpriced]],
    ['is paid for its caches by the hour', [google]],
  ])('is sent no mark if its model %s', (_, models) => {
    const body = withPricedCacheMarks(marked({ type: 'ephemeral', ttl: '8640000s' }), models)
    expect(marksIn(body)).toEqual([])
    expect(body).toMatchObject({
      messages: [{ content: [{ type: 'text', text: 'Hi' }] }, { tool_calls: [{ id: '1' }] }],
      tools: [{ function: { parameters: { properties: { cache_control: {} } } } }],
    })
  })

  test.each([
    ['the usual one', '5m', [priced], { ttl: '5m' }],
    ['a long one that has a price', '1h', [pricedLong], { ttl: '1h' }],
    ['the usual one for a long one that has none', '1h', [pricedLong, priced], {}],
    ['the usual one for any other', '8640000s', [pricedLong], {}],
  ])('is sent marks for a model whose writing to a cache has a price, with %s', (_, ttl, models, told) => {
    const mark = JSON.stringify({ cache_control: { type: 'ephemeral', ...told } }).slice(1, -1)
    const body = withPricedCacheMarks(marked({ type: 'ephemeral', ttl, scope: 'global' }), models)
    expect(marksIn(body)).toEqual(Array(7).fill(mark))
  })
})

test('a body without marks, tools or a proper message stays as it is', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi', odd: null }],
    tools: [null, { type: 'x' }],
  }
  expect(withPricedCacheMarks(body, [priced])).toEqual(body)
  expect(withPricedCacheMarks({ ...body, cache_control: 'x' }, [priced])).toEqual(body)
})
