import { cost, NO_TOKENS } from '@/lib/catalogue/domain/cost'
import { costFromUpstream } from '@/lib/catalogue/domain/cost-from-upstream'
import type { Prices, TokenUsage } from '@/lib/catalogue/domain/model'
import { isFree } from '@/lib/catalogue/domain/usable-prices'
import { isObject } from '@/lib/http/domain/is-object'
import type { UsageDetail } from '@/lib/ledger/domain/ledger'
import { type Decimal, isZero, parseDecimal } from '@/lib/money/decimal'
import { minNano, type Nano } from '@/lib/money/nano'
import { OUTPUT_TOKENS_PER_IMAGE_USUAL } from './image-limits'
import type { ImagePlan } from './image-plan'

/** What a drawing left behind when it ended. */
export interface ImageChargeFacts {
  plan: ImagePlan
  /** Pictures that really came. */
  drawnCount: number
  /** The upstream's `usage`, whatever it is. */
  report: unknown
  /** Our count of the prompt, for models priced by token whose upstream told none. */
  inputTokenCountEstimate: number
  /** The prices of the time of the hold. */
  prices: Prices
  priceMarkup: Decimal
}

export interface ImageCharge {
  costNano: Nano
  costBasis: UsageDetail['costBasis']
  tokens: TokenUsage
  /** The counts are ours. */
  estimated: boolean
}

/**
 * What the pictures that came cost: by the upstream's own figure, else by picture and token. Nothing when
 * none came, and never more than was held for: what was said beforehand is what can be charged.
 */
export function decideImageCharge(facts: ImageChargeFacts): ImageCharge {
  const { plan, prices, report } = facts
  if (facts.drawnCount === 0) {
    return { costNano: 0n, costBasis: 'none', tokens: NO_TOKENS, estimated: false }
  }
  const imageCount = facts.drawnCount + plan.referenceCount
  const counted = countedTokens(report, plan)
  const tokens = { ...(counted ?? estimatedTokens(facts)), imageCount }
  const told = toldCost(report, facts)
  if (told !== null) {
    return {
      costNano: minNano(told, plan.boundNano),
      costBasis: 'upstream_cost',
      tokens,
      estimated: counted === null && hasTokenPrice(prices),
    }
  }
  const byTokens = counted !== null && hasTokenPrice(prices)
  return {
    costNano: minNano(cost({ prices, usage: tokens }), plan.boundNano),
    costBasis: byTokens ? 'upstream_tokens' : 'local_count',
    tokens,
    estimated: !byTokens && hasTokenPrice(prices),
  }
}

/** The counts under OpenAI's names for images, or OpenRouter's; null when they cannot be true. */
function countedTokens(report: unknown, plan: ImagePlan): TokenUsage | null {
  if (!isObject(report)) return null
  const { input, output } = plan.believableTokenCountMax
  const inputTokenCount = readCount(report.input_tokens ?? report.prompt_tokens, input)
  const outputTokenCount = readCount(report.output_tokens ?? report.completion_tokens, output)
  if (inputTokenCount === null || outputTokenCount === null) return null
  return { ...NO_TOKENS, inputTokenCount, outputTokenCount }
}

/** What is priced by the picture alone has no tokens to be estimated. */
function estimatedTokens({ prices, drawnCount, inputTokenCountEstimate }: ImageChargeFacts): TokenUsage {
  return {
    ...NO_TOKENS,
    inputTokenCount: isZero(prices.prompt) ? 0 : inputTokenCountEstimate,
    outputTokenCount: isZero(prices.completion) ? 0 : drawnCount * OUTPUT_TOKENS_PER_IMAGE_USUAL,
  }
}

/**
 * The upstream's own cost with the markup on it. Zero is believed of a free model only: elsewhere it means
 * that somebody else was billed, or nobody yet. What is offered as free stays free.
 */
function toldCost(report: unknown, { prices, priceMarkup }: ImageChargeFacts): Nano | null {
  const told = isObject(report) ? report.cost : undefined
  if (typeof told !== 'number' && typeof told !== 'string') return null
  const usd = parseDecimal(String(told))
  const costNano = usd && costFromUpstream(usd, priceMarkup)
  if (costNano === null) return null
  return (costNano === 0n) === isFree(prices) ? costNano : null
}

function hasTokenPrice({ prompt, completion }: Prices): boolean {
  return !isZero(prompt) || !isZero(completion)
}

function readCount(value: unknown, countMax: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= countMax
    ? value
    : null
}
