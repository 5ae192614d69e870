import 'server-only'
import { fetchGenerationRecord, GENERATION_ID_PATTERN } from '@/lib/catalogue/server/fetch-generation-record'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { log } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { type Charge, type CostFacts, type Counted, decideCharge, NO_COUNTS } from '../domain/decide-charge'
import { costEndOf, type ExchangeEnd, type UnseenPart } from './ends'
import type { ExchangeContext } from './exchange-context'
import { endHold } from './holds'
import type { Evidence, Settlement } from './kind'

export interface Conclusion {
  holdId: string
  modelId: string
  heldNano: Nano
  isFree: boolean
  end: ExchangeEnd
  /** The upstream that answered, or that may bill although it failed; null if there is none. */
  upstream: UpstreamSettings | null
  /** Null when no upstream began to answer. */
  evidence: Evidence | null
  /** See `CostFacts`. */
  isRefused: boolean
  /** Counts where there is no evidence. */
  unseen: UnseenPart
  /** See `UpstreamCall`. */
  costWithoutAnswer: () => Promise<Counted>
  timing: { durationMs: number; timeToFirstTokenMs: number | null }
}

/** Decides what an exchange costs and settles its hold. This is the only place where either happens. */
export async function conclude(
  context: ExchangeContext,
  input: Conclusion,
): Promise<{ charge: Charge; settlement: Settlement }> {
  const charge = await chargeOf(context, input)
  const lossNano =
    charge.absorbedNano + (charge.costNano > input.heldNano ? charge.costNano - input.heldNano : 0n)
  if (input.upstream && lossNano > 0n) {
    context.report(
      `operator loss: ${formatUsd(lossNano)} USD that ${input.upstream.id} bills, or may bill, are not paid by the customer`,
      input.holdId,
    )
  }
  const settlement = await endHold(context, {
    holdId: input.holdId,
    heldNano: input.heldNano,
    charge,
    usage: usageDetail(input, charge),
  })
  record(input, settlement)
  return { charge, settlement }
}

function record({ holdId, modelId, end, upstream, timing }: Conclusion, { chargedNano }: Settlement): void {
  const { durationMs, timeToFirstTokenMs } = timing
  if (upstream && timeToFirstTokenMs !== null)
    metrics.firstTokenSeconds.observe({ host: new URL(upstream.baseUrl).host }, timeToFirstTokenMs / 1000)
  log.info('exchange', {
    exchangeId: holdId,
    model: modelId,
    upstream: upstream?.id,
    end: end.status,
    errorCode: end.error?.code,
    chargedUsd: formatUsd(chargedNano),
    durationMs,
    firstTokenMs: timeToFirstTokenMs ?? undefined,
  })
}

async function chargeOf(context: ExchangeContext, input: Conclusion): Promise<Charge> {
  const { evidence, isFree, isRefused, upstream } = input
  if (!upstream) return FREE_CHARGE
  if (!evidence) {
    // Whoever leaves after the request was sent is waited for, so nobody owes what ends without an answer.
    const { counts, costNano, billedNano = costNano } = await input.costWithoutAnswer()
    const absorbed = { nothing: costNano, some: billedNano, all: input.heldNano }
    return { ...FREE_CHARGE, absorbedNano: absorbed[input.unseen], counts, estimated: true }
  }
  const { hasOutput, upstreamCount, isBeyondPossible } = evidence
  if (isBeyondPossible) {
    context.report(`${upstream.id} reported usage that is impossible for this request`, input.holdId)
  }
  const reportedCost = await findReportedCost(context, {
    evidence,
    upstream,
    nothingBilled: isRefused && !hasOutput,
  })
  // Our own count takes work, and is made only if there is no other.
  const localCount = upstreamCount ?? (await evidence.localCount())
  const { priceMarkup } = context
  return decideCharge({
    end: costEndOf(input.end),
    hasOutput,
    isRefused,
    isFree,
    reportedCost,
    priceMarkup,
    upstreamCount,
    localCount,
  })
}

const FREE_CHARGE: Charge = {
  costNano: 0n,
  absorbedNano: 0n,
  costBasis: 'none',
  counts: NO_COUNTS,
  estimated: false,
}

/**
 * The cost in the answer, else in the upstream's record of it. A host that is not known to keep records
 * is asked once.
 */
async function findReportedCost(
  context: ExchangeContext,
  input: { evidence: Evidence; upstream: UpstreamSettings; nothingBilled: boolean },
): Promise<CostFacts['reportedCost']> {
  const { evidence, upstream, nothingBilled } = input
  if (evidence.reportedCost) return { usd: evidence.reportedCost, basis: 'upstream_cost' }
  if (!evidence.generationId || nothingBilled) return null
  const { reportsCost } = upstreamDialect(upstream.baseUrl)
  if (evidence.upstreamCount && !reportsCost) return null
  const record = await fetchGenerationRecord({
    upstream,
    generationId: evidence.generationId,
    signal: AbortSignal.timeout(context.limits.generationRecordTimeoutMs),
    ...(reportsCost ? {} : { retryDelaysMs: [] }),
  })
  return record && { usd: record.costUsd, basis: 'upstream_record' }
}

function usageDetail({ end, evidence, upstream, timing }: Conclusion, charge: Charge): UsageDetail {
  const answerId = evidence?.answerId || evidence?.generationId || null
  return {
    status: end.status,
    errorCode: end.error?.code ?? null,
    ...charge.counts,
    ...(charge.pricedAs && { pricedAs: charge.pricedAs }),
    estimated: charge.estimated && charge.costBasis !== 'none',
    costBasis: charge.costBasis,
    upstreamId: upstream?.id ?? null,
    ...timing,
    ...(answerId !== null && GENERATION_ID_PATTERN.test(answerId) && { answerId }),
  }
}
