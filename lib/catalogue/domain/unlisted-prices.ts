import { type Decimal, multiply } from '@/lib/money/decimal'
import type { PriceName, PriceOverride, Prices } from './model'
import { GENERAL_PRICE, PRICE_NAMES } from './price-fields'

/**
 * Adds what a vendor bills in addition to the prices that everybody lists, those of prompt and completion. An operator
 * who prices a model by these two alone, for a host that publishes no prices, would otherwise pay the rest.
 */
export function withUnlistedPrices(id: string, prices: Prices): Prices {
  return withLongPrompts(id, withCacheWrites(id, prices))
}

/**
 * Since GPT-5.6 OpenAI writes prompts to a cache without being asked, at a quarter more than other input.
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

/** All of a request costs more if its prompt is longer than this: the factors for what is read and what is written. */
interface LongPrompts {
  readonly pattern: RegExp
  readonly tokenCount: number
  readonly read: Decimal
  readonly written: Decimal
}

const HALF_MORE: Decimal = { coefficient: 15n, scale: 1 }
const DOUBLE: Decimal = { coefficient: 2n, scale: 0 }
const LONG_PROMPTS: readonly LongPrompts[] = [
  // https://developers.openai.com/api/docs/pricing
  {
    pattern: /(^|[/_-])gpt-?(5[.-]([4-9]|1\d)|[6-9]|1\d)(?!\d)/i,
    tokenCount: 272_000,
    read: DOUBLE,
    written: HALF_MORE,
  },
  // https://ai.google.dev/gemini-api/docs/pricing
  {
    pattern: /gemini-?(2[.-]5|[3-9]([.-]\d)?)-pro/i,
    tokenCount: 200_000,
    read: DOUBLE,
    written: HALF_MORE,
  },
  // https://docs.x.ai/docs/models
  { pattern: /grok-?4[.-](20|[3-9])(?!\d)/i, tokenCount: 200_000, read: DOUBLE, written: DOUBLE },
  { pattern: /grok-?4(-\d{4}|-latest)?$/i, tokenCount: 128_000, read: DOUBLE, written: DOUBLE },
]
const READ = PRICE_NAMES.filter(name => isKindOf('prompt', name))
const WRITTEN = PRICE_NAMES.filter(name => isKindOf('completion', name))

function isKindOf(general: PriceName, name: PriceName | undefined): boolean {
  return name !== undefined && (name === general || isKindOf(general, GENERAL_PRICE[name]))
}

function withLongPrompts(id: string, prices: Prices): Prices {
  const { overrides } = prices
  const isListed = overrides.some(({ inputTokenCountAbove }) => inputTokenCountAbove !== null)
  const long = isListed ? undefined : LONG_PROMPTS.find(({ pattern }) => pattern.test(id))
  if (!long) return prices
  const usual = { window: null, prices }
  const above = (override: Known): PriceOverride => ({
    ...override,
    inputTokenCountAbove: long.tokenCount,
    prices: { ...dearer(override, READ, long.read), ...dearer(override, WRITTEN, long.written) },
  })
  // The last one that applies wins, so those of another tier or hour are repeated at the price of long prompts.
  return { ...prices, overrides: [above(usual), ...overrides, ...overrides.map(above)] }
}

type Known = Omit<PriceOverride, 'prices' | 'inputTokenCountAbove'> & {
  readonly prices: Readonly<Partial<Record<PriceName, Decimal | null>>>
}

function dearer({ prices }: Known, names: readonly PriceName[], factor: Decimal): PriceOverride['prices'] {
  const changed = names.flatMap(name => {
    const price = prices[name]
    return price ? [[name, multiply(price, factor)] as const] : []
  })
  return Object.fromEntries(changed)
}
