import { type Decimal, multiply } from '@/lib/money/decimal'
import type { PriceName, PriceOverride, Prices } from './model'

/**
 * What OpenAI bills beside the prices of its models that everybody names, prompt and completion. Whoever prices a model
 * by these alone, as an operator may for a host that publishes none, would be billed the rest and charge nobody for it.
 */
export function withUntoldPrices(id: string, prices: Prices): Prices {
  return withLongPrompts(id, withCacheWrites(id, prices))
}

/**
 * Since GPT-5.6 prompts are written to a cache unasked, at a quarter more than what is read.
 * https://developers.openai.com/api/docs/guides/prompt-caching
 */
const BILLS_CACHE_WRITES = /(^|[/_-])gpt-?(5[.-]([6-9]|1\d)|[6-9]|1\d)(?!\d)/i
const CACHE_WRITE_FACTOR: Decimal = { coefficient: 125n, scale: 2 }

function withCacheWrites(id: string, prices: Prices): Prices {
  if (prices.inputCacheWrite !== null || !BILLS_CACHE_WRITES.test(id)) return prices
  const overrides = prices.overrides.map(({ prices: { prompt, ...others }, ...conditions }) => {
    const written = prompt && { prompt, inputCacheWrite: multiply(prompt, CACHE_WRITE_FACTOR) }
    return { ...conditions, prices: { ...written, ...others } }
  })
  return { ...prices, inputCacheWrite: multiply(prices.prompt, CACHE_WRITE_FACTOR), overrides }
}

/**
 * Since GPT-5.4 all of a request costs more whose prompt is longer than this: what is read twice as much, and what is
 * written half as much again. https://developers.openai.com/api/docs/pricing
 */
const BILLS_LONG_PROMPTS = /(^|[/_-])gpt-?(5[.-]([4-9]|1\d)|[6-9]|1\d)(?!\d)/i
const LONG_PROMPT_TOKEN_COUNT = 272_000
const DOUBLE: Decimal = { coefficient: 2n, scale: 0 }
const HALF_MORE: Decimal = { coefficient: 15n, scale: 1 }
const LONG_PROMPT_FACTORS: readonly (readonly [PriceName, Decimal])[] = [
  ['prompt', DOUBLE],
  ['inputImage', DOUBLE],
  ['inputCacheRead', DOUBLE],
  ['inputCacheWrite', DOUBLE],
  ['completion', HALF_MORE],
  ['internalReasoning', HALF_MORE],
]

function withLongPrompts(id: string, prices: Prices): Prices {
  const { overrides } = prices
  const isTold = overrides.some(({ inputTokenCountAbove }) => inputTokenCountAbove !== null)
  if (isTold || !BILLS_LONG_PROMPTS.test(id)) return prices
  const usual: PriceOverride = { inputTokenCountAbove: null, window: null, prices: longPrices(prices) }
  const long = overrides.map(override => ({ ...override, prices: longPrices(override.prices) }))
  // The last that applies wins: one of another tier, or hour, is dearer by itself.
  const above = (override: PriceOverride) => ({ ...override, inputTokenCountAbove: LONG_PROMPT_TOKEN_COUNT })
  return { ...prices, overrides: [above(usual), ...overrides, ...long.map(above)] }
}

function longPrices(known: Readonly<Partial<Record<PriceName, Decimal | null>>>): PriceOverride['prices'] {
  const dearer = LONG_PROMPT_FACTORS.flatMap(([name, factor]) => {
    const price = known[name]
    return price ? [[name, multiply(price, factor)] as const] : []
  })
  return Object.fromEntries(dearer)
}
