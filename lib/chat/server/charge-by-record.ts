import 'server-only'
import { fetchGenerationRecord } from '@/lib/catalogue/server/fetch-generation-record'
import { formatDecimal } from '@/lib/money/decimal'
import { type Charge, type ChargeFacts, localCount, upstreamCost } from '../domain/decide-charge'
import { upstreamDialect } from '../domain/upstream-body'
import type { ExchangeContext } from './exchange-context'

/**
 * The charge by the upstream's own record of the exchange; null when it keeps none, or is not asked in
 * time. Hosts that are not known to keep records are asked once.
 */
export async function chargeByRecord(
  context: ExchangeContext,
  input: { upstreamId: string | null; generationId: string | null },
  facts: ChargeFacts,
): Promise<Charge | null> {
  const { upstreamId, generationId } = input
  const upstream = (await context.upstreams()).find(candidate => candidate.id === upstreamId)
  if (!upstream || !generationId) return null
  const record = await fetchGenerationRecord({
    upstream,
    generationId,
    signal: AbortSignal.timeout(context.limits.generationRecordTimeoutMs),
    ...(upstreamDialect(upstream.baseUrl).asksForCost ? {} : { retryDelaysMs: [] }),
  })
  const costNano = record && upstreamCost({ cost: formatDecimal(record.costUsd) }, facts)
  if (costNano === null) return null
  return { costNano, costBasis: 'upstream_record', tokens: localCount(facts), estimated: true, report: null }
}
