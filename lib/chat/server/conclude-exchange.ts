import 'server-only'
import { NO_TOKENS } from '@/lib/catalogue/domain/cost'
import type { UsageDetail } from '@/lib/ledger/domain/ledger'
import type { ExchangeEnd } from '@/lib/ledger/server/metering/exchange-stopped'
import { resolveExchange, type Settlement } from '@/lib/ledger/server/metering/resolve-exchange'
import { type Charge, type ChargeFacts, chargeByLocalCount, chargeByReports } from '../domain/decide-charge'
import { chargeByRecord } from './charge-by-record'
import type { ExchangeContext } from './exchange-context'

const NOTHING: Charge = { costNano: 0n, costBasis: 'none', tokens: NO_TOKENS, estimated: false, report: null }

export interface ConcludeInput {
  holdId: string
  end: ExchangeEnd
  upstreamId: string | null
  /** What the upstream calls this exchange, to ask it for its record. */
  generationId: string | null
  /** Null when no upstream began to answer. */
  facts: ChargeFacts | null
  timing: { durationMs: number; timeToFirstTokenMs: number | null }
}

/** Decides what an exchange costs and resolves its hold; the one place where either happens. */
export async function concludeExchange(
  context: ExchangeContext,
  input: ConcludeInput,
): Promise<{ charge: Charge; settlement: Settlement }> {
  const charge = await decideCharge(context, input)
  const settlement = await resolveExchange({
    ledger: context.ledger,
    holdId: input.holdId,
    costNano: charge.costNano,
    usage: usageDetail(input, charge),
    limits: context.limits,
    onPending: context.keepAlive,
  })
  return { charge, settlement }
}

/** No output and no proper end: nothing to pay for. */
async function decideCharge(context: ExchangeContext, input: ConcludeInput): Promise<Charge> {
  const { facts, end } = input
  if (facts === null) return NOTHING
  const nothingDelivered = !facts.delivered.hasOutput
  if (nothingDelivered && end.status !== 'completed') return NOTHING
  const reported = chargeByReports(facts)
  if (reported !== null) return reported
  if (nothingDelivered) return NOTHING
  return (await chargeByRecord(context, input, facts)) ?? chargeByLocalCount(facts)
}

function usageDetail({ end, upstreamId, timing }: ConcludeInput, charge: Charge): UsageDetail {
  return {
    status: end.status,
    errorCode: end.error?.code ?? null,
    inputTokenCount: charge.tokens.inputTokenCount,
    cachedInputTokenCount: charge.tokens.cachedInputTokenCount,
    outputTokenCount: charge.tokens.outputTokenCount,
    reasoningTokenCount: charge.tokens.reasoningTokenCount,
    estimated: charge.estimated,
    costBasis: charge.costBasis,
    upstreamId,
    ...timing,
  }
}
