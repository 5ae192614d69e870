import { withMarkup } from '@/lib/catalogue/domain/apply-markup'
import { wholeCount } from '@/lib/catalogue/domain/count'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { type Decimal, isNegative, isZero } from '@/lib/money/decimal'
import { ceilToNano, maxNano, minNano, NANO_MAX, type Nano, nanoToUsdNumber } from '@/lib/money/nano'

/** Tokens, or the unit that the model is priced by: characters, seconds. */
export interface Counts {
  inputTokenCount: number
  cachedInputTokenCount: number
  outputTokenCount: number
  reasoningTokenCount: number
  /** What else was counted at a price of its own, under the receipt's names; absent if there is nothing. */
  otherCounts?: UsageDetail['otherCounts']
}

export const NO_COUNTS: Counts = {
  inputTokenCount: 0,
  cachedInputTokenCount: 0,
  outputTokenCount: 0,
  reasoningTokenCount: 0,
}

const OTHER_COUNTS = {
  cache_write_input: 'cacheWriteInputTokenCount',
  long_cache_write_input: 'longCacheWriteInputTokenCount',
  audio_input: 'audioInputTokenCount',
  image_input: 'imageInputTokenCount',
  audio_output: 'audioOutputTokenCount',
  image_output: 'imageOutputTokenCount',
  image: 'imageCount',
  web_search: 'webSearchCount',
} as const satisfies Record<keyof NonNullable<UsageDetail['otherCounts']>, keyof TokenUsage>

/** Everything that a charge is calculated from, so that a receipt lets it be calculated again. */
export function countsOf(usage: TokenUsage): Counts {
  const { inputTokenCount, cachedInputTokenCount, outputTokenCount, reasoningTokenCount } = usage
  const others = Object.entries(OTHER_COUNTS).flatMap(([name, field]) =>
    usage[field] > 0 ? [[name, wholeCount(usage[field])] as const] : [],
  )
  return {
    inputTokenCount,
    cachedInputTokenCount,
    outputTokenCount,
    reasoningTokenCount,
    ...(others.length > 0 && { otherCounts: Object.fromEntries(others) }),
  }
}

/** Counts with what they cost at this site's prices. */
export interface Counted {
  costNano: Nano
  counts: Counts
  /** Set if it was priced by another model, or another tier, than the snapshot's. */
  pricedAs?: UsageDetail['pricedAs']
  /** Our own count is exact: characters of a text, for example. */
  isExact?: boolean
  /** What the upstream bills, or may bill for what is hidden from us, if that is more than the customer owes. */
  billedNano?: Nano
}

/** What is known of a call's cost when it is over. */
export interface CostFacts {
  /**
   * `completed`: the upstream delivered what was asked for. `left`: its customer stopped it or went away
   * after the upstream had begun. `failed`: the upstream, or this site, did not deliver.
   */
  end: 'completed' | 'left' | 'failed'
  /** Whether any of the answer was passed on. */
  hasOutput: boolean
  /** The upstream itself reported a failure, so that it bills what it reports and nothing else. */
  isRefused: boolean
  /** Nothing that was asked for has a price. */
  isFree: boolean
  /** The cost in dollars that the upstream itself reports, and where it does; null if it reports none. */
  reportedCost: { usd: Decimal; basis: 'upstream_cost' | 'upstream_record' } | null
  priceMarkup: Decimal
  /** The cost by the upstream's counts, as far as they are possible; null if it reports none that can be true. */
  upstreamCount: Counted | null
  /** The cost by our own count of what was sent and passed on. */
  localCount: Counted
}

export interface Charge {
  /** What the customer owes. The part above the hold is not charged: the ledger books it as the operator's loss. */
  costNano: Nano
  /** What the upstream bills and nobody owes: for an answer that never came, or for a free model. */
  absorbedNano: Nano
  costBasis: UsageDetail['costBasis']
  counts: Counts
  /** Whether the counts are our own estimate. */
  estimated: boolean
  /** See `Counted`. */
  pricedAs?: UsageDetail['pricedAs']
}

/**
 * The one rule of what a call costs, whatever its kind. The cost that the upstream reports is the truth; without
 * one, its counts at this site's prices, as far as they are possible; without those, our own count. A call that
 * failed before any output is free, and so is one that was offered as free. What an upstream may bill beyond that
 * is the operator's loss: one that breaks off without a word has read its prompt, at least.
 */
export function decideCharge(facts: CostFacts): Charge {
  const { upstreamCount, localCount, reportedCost } = facts
  const { counts: shownCounts, pricedAs } = upstreamCount ?? localCount
  const counts = {
    counts: shownCounts,
    estimated: upstreamCount === null && !localCount.isExact,
    ...(pricedAs && { pricedAs }),
  }
  const markedUpNano = reportedCost && reportedNano(withMarkup(reportedCost.usd, facts.priceMarkup))
  const nothingCame = facts.end === 'failed' && !facts.hasOutput
  if (nothingCame || facts.isFree) {
    const likelyNano = facts.isRefused && !upstreamCount ? 0n : billedNano(upstreamCount ?? localCount)
    const absorbedNano = (reportedCost && reportedNano(reportedCost.usd)) ?? likelyNano
    return { costNano: 0n, absorbedNano, costBasis: 'none', ...counts }
  }
  if (reportedCost && markedUpNano !== null) {
    return { costNano: markedUpNano, absorbedNano: 0n, costBasis: reportedCost.basis, ...counts }
  }
  // A model that ended properly and wrote nothing has read its prompt, but nobody got an answer for it.
  if (!upstreamCount && facts.end === 'completed' && !facts.hasOutput) {
    return { costNano: 0n, absorbedNano: billedNano(localCount), costBasis: 'none', ...counts }
  }
  const known = upstreamCount ?? localCount
  return {
    costNano: known.costNano,
    absorbedNano: billedNano(known) - known.costNano,
    costBasis: upstreamCount ? 'upstream_tokens' : 'local_count',
    ...counts,
  }
}

function billedNano(count: Counted): Nano {
  return minNano(maxNano(count.billedNano ?? 0n, count.costNano), NANO_MAX)
}

/**
 * Null if an upstream reports a cost that makes no sense: a negative one, or zero, which means that somebody else was
 * billed, or nobody yet. A cost above the largest possible transfer counts as that.
 */
function reportedNano(usd: Decimal): Nano | null {
  return isNegative(usd) || isZero(usd) ? null : minNano(ceilToNano(usd), NANO_MAX)
}

/** What every `usage` in our answers contains, in place of what the operator pays. */
export function chargeFields(settled: { chargedNano: Nano; balanceNano: Nano | null }) {
  const cost = nanoToUsdNumber(settled.chargedNano)
  return settled.balanceNano === null ? { cost } : { cost, balance_usd: nanoToUsdNumber(settled.balanceNano) }
}
