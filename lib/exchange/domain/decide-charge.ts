import { withMarkup } from '@/lib/catalogue/domain/apply-markup'
import { wholeCount } from '@/lib/catalogue/domain/count'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { type Decimal, isNegative, isZero } from '@/lib/money/decimal'
import { ceilToNano, maxNano, minNano, NANO_MAX, type Nano, nanoToUsdNumber } from '@/lib/money/nano'

/** Tokens, or whatever the model is priced by: characters, seconds. */
export interface Counts {
  inputTokenCount: number
  cachedInputTokenCount: number
  outputTokenCount: number
  reasoningTokenCount: number
  /** Whatever else was counted and has a price of its own, by the receipt's names; absent where there is nothing. */
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

/** All that a charge is reckoned from, so that a receipt lets it be reckoned again. */
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
  /** Reckoned at other prices than those of the snapshot: another model's, or another tier's. */
  pricedAs?: UsageDetail['pricedAs']
  /** Our own count is as good as anybody's: characters of a text. */
  isExact?: boolean
  /** What the upstream bills, or may bill for all that nobody here sees, where that is more than its customer owes. */
  billedNano?: Nano
}

/** What is known of a call's cost when it is over. */
export interface CostFacts {
  /**
   * `completed`: the upstream delivered what was asked for. `left`: its customer stopped it or went away
   * after the upstream had begun. `failed`: the upstream, or this site, did not deliver.
   */
  end: 'completed' | 'left' | 'failed'
  /** Something of the answer was handed on. */
  hasOutput: boolean
  /** The upstream itself said that it failed: it bills what it told, and else nothing. */
  isRefused: boolean
  /** Nothing that was asked for has a price. */
  isFree: boolean
  /** What the upstream itself says that the call cost it, in dollars, and where; null when it tells nothing. */
  reportedCost: { usd: Decimal; basis: 'upstream_cost' | 'upstream_record' } | null
  priceMarkup: Decimal
  /** By the upstream's counts, as far as they are possible; null when it told none that can be true. */
  upstreamCount: Counted | null
  /** By our own count of what was sent and handed on. */
  localCount: Counted
}

export interface Charge {
  /** What the customer owes. What exceeds the hold is not charged: the ledger books it as the operator's loss. */
  costNano: Nano
  /** What the upstream bills and nobody owes: an answer that never came, a cost told for a free model. */
  absorbedNano: Nano
  costBasis: UsageDetail['costBasis']
  counts: Counts
  /** The counts are ours. */
  estimated: boolean
  /** As `Counted` has it. */
  pricedAs?: UsageDetail['pricedAs']
}

/**
 * The one rule of what a call costs, whatever its kind. The upstream's own cost is the truth where it tells
 * one; else its counts at this site's prices, as far as they are possible; else our own count. What failed
 * before any output is free, and so is what was offered as free. What an upstream bills beyond, for all that
 * can be known, is the operator's loss. One that breaks off without a word has read its prompt.
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
    const absorbedNano = (reportedCost && reportedNano(reportedCost.usd)) ?? (facts.isFree ? 0n : likelyNano)
    return { costNano: 0n, absorbedNano, costBasis: 'none', ...counts }
  }
  if (reportedCost && markedUpNano !== null) {
    return { costNano: markedUpNano, absorbedNano: 0n, costBasis: reportedCost.basis, ...counts }
  }
  // A model that ended properly and said nothing has read its prompt; nobody got an answer for it.
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
 * Null when an upstream names nonsense for its cost: negative, or zero, which says that somebody else was
 * billed, or nobody yet. More than any transfer may carry counts as that much.
 */
function reportedNano(usd: Decimal): Nano | null {
  return isNegative(usd) || isZero(usd) ? null : minNano(ceilToNano(usd), NANO_MAX)
}

/** What every `usage` of ours tells in place of what the operator pays. */
export function chargeFields(settled: { chargedNano: Nano; balanceNano: Nano | null }) {
  const cost = nanoToUsdNumber(settled.chargedNano)
  return settled.balanceNano === null ? { cost } : { cost, balance_usd: nanoToUsdNumber(settled.balanceNano) }
}
