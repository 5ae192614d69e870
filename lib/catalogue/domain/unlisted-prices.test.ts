import { describe, expect, test } from '@jest/globals'
import { ceilToNano } from '@/lib/money/nano'
import { cost, NO_USAGE } from './cost'
import type { TokenUsage } from './model'
import { decimal, somePrices } from './testing'
import { withUnlistedPrices } from './unlisted-prices'

const TOLD = { prompt: '0.00001', completion: '0.00003', inputCacheRead: '0.000001' }
const costOf = (id: string, usage: Partial<TokenUsage>, told = somePrices(TOLD), serviceTier?: string) =>
  cost({ prices: withUnlistedPrices(id, told), usage: { ...NO_USAGE, ...usage }, serviceTier })
const usd = (text: string) => ceilToNano(decimal(text))

describe('writing to a cache', () => {
  const usage = { inputTokenCount: 2_000, cacheWriteInputTokenCount: 1_000 }

  test.each(['gpt-5.6', 'openai/gpt-5.6-sol', 'gpt-6.1-sol', 'gpt-10'])('costs a quarter more at %s', id => {
    expect(costOf(id, usage)).toBe(usd('0.0225'))
  })

  test.each(['gpt-5', 'gpt-5-2025-08-07', 'gpt-5.4-mini', 'openai/gpt-oss-120b', 'gpt-4o', 'gpt-60'])(
    'costs the input price at %s',
    id => {
      expect(costOf(id, usage)).toBe(usd('0.02'))
    },
  )

  test('costs the listed price if there is one', () => {
    expect(costOf('gpt-5.6', usage, somePrices({ ...TOLD, inputCacheWrite: '0.00001' }))).toBe(usd('0.02'))
  })
})

describe('a request with a long prompt', () => {
  const usual = { inputTokenCount: 272_000, outputTokenCount: 1_000, cachedInputTokenCount: 72_000 }
  const long = { ...usual, inputTokenCount: 272_001, cachedInputTokenCount: 72_001 }

  test.each(['gpt-5.4', 'openai/gpt-5.5-pro', 'gpt-5.6-luna', 'gpt-6-astra'])(
    'costs double for input and one and a half times for output at %s',
    id => {
      expect(costOf(id, usual)).toBe(usd('2.102'))
      expect(costOf(id, long)).toBe(usd('4.189002'))
    },
  )

  test.each([
    ['google/gemini-2.5-pro', 200_000, '2.03', '4.045'],
    ['gemini-3.1-pro-preview', 200_000, '2.03', '4.045'],
    ['x-ai/grok-4.7', 200_000, '2.03', '4.06'],
    ['grok-4.20-0309-reasoning', 200_000, '2.03', '4.06'],
    ['grok-4-0709', 128_000, '1.31', '2.62'],
  ])('costs more above the threshold of the maker of %s', (id, tokenCount, usualUsd, longUsd) => {
    expect(costOf(id, { inputTokenCount: tokenCount, outputTokenCount: 1_000 })).toBe(usd(usualUsd))
    const more = costOf(id, { inputTokenCount: tokenCount + 1, outputTokenCount: 1_000 })
    expect(more).toBe(usd(longUsd) + usd('0.00002'))
  })

  test.each([
    'gpt-5.1',
    'gpt-5',
    'gpt-4.1',
    'anthropic/claude-opus-5',
    'google/gemini-3-flash',
    'x-ai/grok-4-fast',
    'x-ai/grok-4.2',
    'x-ai/grok-4.200',
  ])('costs the usual price at %s', id => {
    expect(costOf(id, long)).toBe(usd('2.102001'))
  })

  test('costs the same multiple of the tier price at another tier', () => {
    const prices = { prompt: decimal('0.000005'), completion: decimal('0.000015') }
    const flex = { inputTokenCountAbove: null, window: null, serviceTier: 'flex', prices }
    const told = { ...somePrices(TOLD), overrides: [flex] }
    const asked = { inputTokenCount: 300_000, outputTokenCount: 1_000 }
    expect(costOf('gpt-5.4', asked, told, 'flex')).toBe(usd('3.0225'))
    expect(costOf('gpt-5.4', asked, told)).toBe(usd('6.045'))
    expect(costOf('gpt-5.4', { ...asked, inputTokenCount: 200_000 }, told, 'flex')).toBe(usd('1.015'))
  })

  test('costs more for each kind of token that has a price of its own', () => {
    const kinds = { outputImage: '0.00012', outputAudio: '0.00006', inputCacheWriteLong: '0.00002' }
    const told = somePrices({ ...TOLD, ...kinds, inputAudio: '0.00004', inputAudioCacheRead: '0.000004' })
    const written = { outputTokenCount: 2_000, imageOutputTokenCount: 1_000, audioOutputTokenCount: 1_000 }
    expect(costOf('gpt-5.4', { ...usual, ...written }, told)).toBe(usd('2.252'))
    expect(costOf('gpt-5.4', { ...long, ...written }, told)).toBe(usd('4.414002'))
    const kept = {
      cachedInputTokenCount: 0,
      cacheWriteInputTokenCount: 1_000,
      longCacheWriteInputTokenCount: 1_000,
    }
    expect(costOf('gpt-5.4', { ...long, ...kept, outputTokenCount: 0 }, told)).toBe(usd('5.46002'))
    const sound = { cachedInputTokenCount: 100_000, audioInputTokenCount: 100_000, outputTokenCount: 0 }
    expect(costOf('gpt-5.4', { ...long, ...sound }, told)).toBe(usd('10.24002'))
  })

  test('costs the listed price if there is one', () => {
    const above = { inputTokenCountAbove: 200_000, window: null, prices: { prompt: decimal('0.00002') } }
    const told = { ...somePrices(TOLD), overrides: [above] }
    expect(withUnlistedPrices('gpt-5.4', told)).toEqual(told)
  })
})
