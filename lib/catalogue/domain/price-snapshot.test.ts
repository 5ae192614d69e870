import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { wireRecord } from '@/lib/host-mode/domain/values'
import { cost } from './cost'
import { parseExactJson } from './parse-exact-json'
import { listedPricing, parsePriceSnapshot, priceSnapshot } from './price-snapshot'
import { callTime, decimal, prices, somePrices, usage } from './testing'
import { usablePrices } from './usable-prices'

test('a damaged snapshot is refused', () => {
  expect(parsePriceSnapshot({})).toBeNull()
  expect(parsePriceSnapshot({ prompt: '0', completion: 'x' })).toBeNull()
  expect(parsePriceSnapshot({ prompt: '0', completion: '0', 'overrides.0': '{' })).toBeNull()
  expect(parsePriceSnapshot({ prompt: '0', completion: '0', 'overrides.0': '{"a":1}' })).toBeNull()
})

test('has the known prices in a fixed order, without exponents', () => {
  const snapshot = priceSnapshot(somePrices({ completion: '2e-7', internalReasoning: '3e-7' }))
  expect(JSON.stringify(snapshot)).toBe(
    '{"prompt":"0","completion":"0.0000002","request":"0","image":"0","internal_reasoning":"0.0000003"}',
  )
})

test('prices read from their snapshot cost the same, in any order of its fields', () => {
  fc.assert(
    fc.property(prices, usage, callTime, (known, counts, at) => {
      const texts = Object.entries(priceSnapshot(known)).sort(([left], [right]) => (left < right ? 1 : -1))
      const read = parsePriceSnapshot(Object.fromEntries(texts))
      const costOf = (some: typeof known) => cost({ prices: some, usage: counts, at })
      return read !== null && costOf(read) === costOf(known)
    }),
  )
})

test('prices read from our published list cost the same', () => {
  fc.assert(
    fc.property(prices, usage, callTime, (known, counts, at) => {
      const listed = parseExactJson(JSON.stringify({ pricing: listedPricing(known) }))
      const read = usablePrices((listed as { pricing: Record<string, unknown> }).pricing)
      const costOf = (some: typeof known) => cost({ prices: some, usage: counts, at })
      return read !== null && costOf(read) === costOf(known)
    }),
  )
})

test('conditional prices are stored as strings that the ledger accepts, and published in OpenRouter’s form', () => {
  const morning = { days: [1, 5], startMinute: 60, endMinute: 1_440 }
  const known = somePrices({ prompt: '0.000001', completion: '0.000002' }, [
    { inputTokenCountAbove: 200_000, window: null, prices: { prompt: decimal('0.000002') } },
    { inputTokenCountAbove: null, window: morning, prices: { inputAudio: decimal('0.000003') } },
  ])
  expect(priceSnapshot(known)).toEqual({
    prompt: '0.000001',
    completion: '0.000002',
    request: '0',
    image: '0',
    'overrides.0': '{"min_prompt_tokens":200000,"prompt":"0.000002"}',
    'overrides.1': '{"utc_days":["monday","friday"],"utc_start":100,"utc_end":2400,"audio":"0.000003"}',
  })
  expect(listedPricing(known).overrides).toEqual([
    { min_prompt_tokens: 200_000, prompt: '0.000002' },
    { utc_days: ['monday', 'friday'], utc_start: 100, utc_end: 2_400, audio: '0.000003' },
  ])
})

test('the longest snapshot fits into the ledger’s limit', () => {
  const finest = '0.000000000000000000000000000001'
  const priced = { prompt: finest, completion: finest, audio: finest, input_cache_write_1h: finest }
  const window = { utc_days: ['monday', 'wednesday'], utc_start: '1030', utc_end: '1145' }
  const overrides = Array.from({ length: 64 }, () => ({ ...priced, ...window, min_prompt_tokens: '1000000' }))
  const known = usablePrices({ ...priced, overrides })
  const fields = Object.entries(priceSnapshot(known ?? somePrices()))
  expect(known).not.toBeNull()
  expect(wireRecord.safeParse(Object.fromEntries(fields)).success).toBe(true)
})
