import { cost, NO_TOKENS } from '@/lib/catalogue/domain/cost'
import { costFromUpstream } from '@/lib/catalogue/domain/cost-from-upstream'
import type { Prices, TokenUsage } from '@/lib/catalogue/domain/model'
import { isFree } from '@/lib/catalogue/domain/usable-prices'
import type { UsageDetail } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import { NANO_PER_USD, type Nano } from '@/lib/money/nano'
import { believeCost, believeTokenCounts } from './believe-usage'

/** An upstream's cost may exceed the bound by what cannot be foreseen (searches, tools), not by more. */
const BOUND_MULTIPLE_MAX = 10n
const UNFORESEEN_NANO_MAX = NANO_PER_USD / 4n

/** What an exchange left behind when it ended. */
export interface ChargeFacts {
  /** `usage` objects of the upstream, in order. */
  reports: readonly unknown[]
  /** Our count of what was handed on. */
  delivered: { outputTokenCount: number; reasoningTokenCount: number; hasOutput: boolean }
  inputTokenCountEstimate: number
  imageCount: number
  /** The prices of the time of the hold. */
  prices: Prices
  priceMarkup: Decimal
  boundNano: Nano
  believableTokenCountMax: { input: number; output: number }
}

export interface Charge {
  costNano: Nano
  costBasis: UsageDetail['costBasis']
  tokens: TokenUsage
  /** The counts are ours. */
  estimated: boolean
  /** The upstream's own words, where its counts were believed. */
  report: Record<string, unknown> | null
}

/** The charge by the upstream's own cost, else by its token counts; null when neither can be believed. */
export function chargeByReports(facts: ChargeFacts): Charge | null {
  const counted = lastOf(facts.reports, report => {
    const tokens = believeTokenCounts(report, {
      hasOutput: facts.delivered.hasOutput,
      inputTokenCountMax: facts.believableTokenCountMax.input,
      outputTokenCountMax: facts.believableTokenCountMax.output,
    })
    return (
      tokens && { tokens: { ...tokens, imageCount: facts.imageCount }, report: { ...(report as object) } }
    )
  })
  const costNano = lastOf(facts.reports, report => upstreamCost(report, facts))
  const counts = counted ?? { tokens: localCount(facts), report: null }
  const estimated = counted === null
  if (costNano !== null) return { costNano, costBasis: 'upstream_cost', estimated, ...counts }
  if (counted === null) return null
  const { prices } = facts
  return {
    costNano: cost({ prices, usage: counted.tokens }),
    costBasis: 'upstream_tokens',
    estimated,
    ...counted,
  }
}

/** The charge for what we counted ourselves. */
export function chargeByLocalCount(facts: ChargeFacts): Charge {
  const tokens = localCount(facts)
  const costNano = cost({ prices: facts.prices, usage: tokens })
  return { costNano, costBasis: 'local_count', tokens, estimated: true, report: null }
}

/** An upstream's own cost with the markup on it; null when it cannot be the cost of this exchange. */
export function upstreamCost(report: unknown, facts: ChargeFacts): Nano | null {
  const free = isFree(facts.prices)
  const costUsd = believeCost(report, { isFree: free })
  const costNano = costUsd && costFromUpstream(costUsd, facts.priceMarkup)
  // What is offered as free stays free, whatever an upstream says of it.
  if (costNano === null || (free && costNano > 0n)) return null
  return costNano <= facts.boundNano * BOUND_MULTIPLE_MAX + UNFORESEEN_NANO_MAX ? costNano : null
}

export function localCount(facts: ChargeFacts): TokenUsage {
  return {
    ...NO_TOKENS,
    inputTokenCount: facts.inputTokenCountEstimate,
    outputTokenCount: facts.delivered.outputTokenCount,
    reasoningTokenCount: facts.delivered.reasoningTokenCount,
    imageCount: facts.imageCount,
  }
}

function lastOf<Value>(reports: readonly unknown[], read: (report: unknown) => Value | null): Value | null {
  for (let index = reports.length - 1; index >= 0; index -= 1) {
    const value = read(reports[index])
    if (value !== null) return value
  }
  return null
}
