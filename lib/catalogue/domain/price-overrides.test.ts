import { describe, expect, test } from '@jest/globals'
import { formatDecimal } from '@/lib/money/decimal'
import type { PriceOverride, Prices } from './model'
import { parseExactJson } from './parse-exact-json'
import { type Circumstances, dearestPrices, readOverride } from './price-overrides'
import { decimal, somePrices } from './testing'

const read = (text: string) => readOverride(parseExactJson(text))

describe('an override is read', () => {
  test.each<[string, Partial<PriceOverride>]>([
    ['{"min_prompt_tokens": 200000, "prompt": "0.1"}', { inputTokenCountAbove: 200_000, window: null }],
    ['{"min_prompt_tokens": 200000.0, "prompt": "0.1"}', { inputTokenCountAbove: 200_000 }],
    ['{"min_prompt_tokens": 0, "prompt": "0.1"}', { inputTokenCountAbove: 0 }],
    ['{"min_prompt_tokens": "5", "utc_days": null, "prompt": null}', { inputTokenCountAbove: 5, prices: {} }],
    [
      '{"utc_start": 1030, "utc_end": 400}',
      { window: { days: null, startMinute: 630, endMinute: 240 }, inputTokenCountAbove: null },
    ],
    ['{"utc_start": 1600, "utc_end": 0}', { window: { days: null, startMinute: 960, endMinute: 1_440 } }],
    ['{"utc_start": 0, "utc_end": 2400}', { window: { days: null, startMinute: 0, endMinute: 1_440 } }],
    [
      '{"utc_start": "01:30", "utc_end": "2:00"}',
      { window: { days: null, startMinute: 90, endMinute: 120 } },
    ],
    ['{"utc_days": ["Sunday", "mon"]}', { window: { days: [0, 1], startMinute: 0, endMinute: 1_440 } }],
  ])('%s', (text, expected) => {
    expect(read(text)).toMatchObject(expected)
  })
})

describe('an override is refused', () => {
  test.each([
    'null',
    '[]',
    '"x"',
    '{"max_prompt_tokens": 5, "prompt": "0"}',
    '{"service_tier": "", "prompt": "0"}',
    '{"min_prompt_tokens": -1, "prompt": "0"}',
    '{"min_prompt_tokens": "many", "prompt": "0"}',
    '{"min_prompt_tokens": 1e40, "prompt": "0"}',
    '{"min_prompt_tokens": true, "prompt": "0"}',
    '{"min_prompt_tokens": 5, "prompt": "-1"}',
    '{"min_prompt_tokens": 5, "prompt": [1]}',
    '{"min_prompt_tokens": 5, "vibe": "0"}',
    '{"utc_start": 100, "prompt": "0"}',
    '{"utc_end": 100, "prompt": "0"}',
    '{"utc_start": 2400, "utc_end": 100, "prompt": "0"}',
    '{"utc_start": 960, "utc_end": 1075, "prompt": "0"}',
    '{"utc_start": 100, "utc_end": 2500, "prompt": "0"}',
    '{"utc_start": 100.5, "utc_end": 300.75, "prompt": "0", "utc_days": []}',
    '{"utc_days": ["funday"], "prompt": "0"}',
    '{"utc_days": [1], "prompt": "0"}',
    '{"utc_days": "monday", "prompt": "0"}',
  ])('%s', text => {
    expect(read(text)).toBeNull()
  })
})

/** 2026-09-07 is a Monday. */
const at = (time: string) => new Date(`2026-09-${time}:00Z`)
const promptAt = (prices: Prices, circumstances: Partial<Circumstances> = {}) =>
  formatDecimal(
    dearestPrices(prices, { inputTokenCountMin: 0, inputTokenCountMax: 0, ...circumstances }).prompt,
  )
const priced = (...overrides: string[]) =>
  somePrices(
    { prompt: '2' },
    overrides.map(text => {
      const override = read(text)
      if (!override) throw new Error(text)
      return override
    }),
  )

describe('the price of a prompt', () => {
  const longer = priced(
    '{"min_prompt_tokens": 100, "prompt": "0.5"}',
    '{"min_prompt_tokens": 200, "prompt": "0.7"}',
  )

  test.each([
    [0, 100, '2'],
    [101, 101, '0.5'],
    [201, 900, '0.7'],
    [0, 101, '2'],
    [101, 201, '0.7'],
    [0, 201, '2'],
  ])(
    'of %s to %s tokens is the last one that applies, or the highest that may apply',
    (min, max, expected) => {
      expect(promptAt(longer, { inputTokenCountMin: min, inputTokenCountMax: max })).toBe(expected)
    },
  )

  const mornings = priced('{"utc_start": 100, "utc_end": 430, "prompt": "1"}')
  const nights = priced('{"utc_start": 2300, "utc_end": 200, "utc_days": ["tuesday"], "prompt": "1"}')
  const weekends = priced('{"utc_days": ["saturday", "sunday"], "prompt": "1"}')
  const around = priced('{"utc_start": 500, "utc_end": 500, "prompt": "1"}')

  test.each<[string, Prices, string, string]>([
    ['before a window', mornings, '07T00:59', '2'],
    ['as it begins', mornings, '07T01:00', '1'],
    ['in its last minute', mornings, '07T04:29', '1'],
    ['as it ends', mornings, '07T04:30', '2'],
    ['on the evening of a night', nights, '08T23:30', '1'],
    ['after midnight, when the day may not match any more', nights, '09T01:30', '2'],
    ['after midnight at the start of its day, which may belong to the night before', nights, '08T01:30', '2'],
    ['after its end', nights, '09T02:00', '2'],
    ['on another evening', nights, '07T23:30', '2'],
    ['on a Sunday of weekends', weekends, '06T12:00', '1'],
    ['on a Monday of weekends', weekends, '07T00:00', '2'],
    ['in a window that starts and ends at the same time, which may be empty', around, '07T06:00', '2'],
  ])('%s', (_, prices, time, expected) => {
    expect(promptAt(prices, { at: at(time) })).toBe(expected)
  })

  test('is the highest that may apply if the time is unknown', () => {
    const noons = priced('{"utc_start": 1200, "utc_end": 1300, "prompt": "0.9"}')
    expect(promptAt(noons)).toBe('2')
    expect(promptAt(noons, { at: new Date(Number.NaN) })).toBe('2')
  })

  test('is the higher of two if an override has no condition', () => {
    expect(promptAt(priced('{"prompt": "1"}'))).toBe('2')
    expect(
      promptAt(
        somePrices({ prompt: '0.1' }, [
          { inputTokenCountAbove: null, window: null, prices: { prompt: decimal('1') } },
        ]),
      ),
    ).toBe('1')
  })
})

test('an override keeps the prices that it does not name, and a special price set to zero falls back to the general one', () => {
  const prices = somePrices({ prompt: '0.2', completion: '0.3', inputCacheRead: '0.1' }, [
    {
      inputTokenCountAbove: 10,
      window: null,
      prices: { prompt: decimal('0.4'), inputAudio: decimal('0.3') },
    },
    { inputTokenCountAbove: 20, window: null, prices: { inputCacheRead: decimal('0') } },
  ])
  const known = (count: number, max = count) => {
    const { prompt, completion, inputCacheRead, inputAudio } = dearestPrices(prices, {
      inputTokenCountMin: count,
      inputTokenCountMax: max,
    })
    return [prompt, completion, inputCacheRead, inputAudio].map(price => price && formatDecimal(price))
  }
  expect(known(10)).toEqual(['0.2', '0.3', '0.1', null])
  expect(known(11)).toEqual(['0.4', '0.3', '0.1', '0.3'])
  expect(known(21)).toEqual(['0.4', '0.3', '0.4', '0.3'])
  expect(known(0, 99)).toEqual(['0.4', '0.3', '0.4', '0.4'])
})

test('a tier price applies if the tier was served, and the higher one if it was only requested', () => {
  const tiers = ['{"service_tier": "flex", "prompt": "0.2"}', '{"service_tier": "slow", "prompt": "0.9"}']
  const prices = { ...priced(...tiers), prompt: decimal('0.5') }
  const asked = (name: string, isCertain: boolean) => promptAt(prices, { serviceTier: { name, isCertain } })
  expect([promptAt(prices), asked('flex', true), asked('other', true)]).toEqual(['0.5', '0.2', '0.5'])
  // The dearer of both, until the host has reported its tier.
  expect([asked('flex', false), asked('slow', false)]).toEqual(['0.5', '0.9'])
})
