import 'server-only'
import type { ApiError } from '@/lib/http/api-error'
import type { Settlement } from '@/lib/ledger/server/metering/resolve-exchange'
import { nanoToUsdNumber } from '@/lib/money/nano'
import type { Charge } from '../domain/decide-charge'
import type { Envelope } from './event-filter'

export const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** Tells what was charged, in OpenAI's shape of a last chunk: no choices, only usage. */
export function usageEvent(input: {
  exchangeId: string
  modelId: string
  envelope: Envelope | null
  usage: Record<string, unknown>
}): Buffer {
  const { envelope } = input
  return encodeEvent({
    id: envelope?.id || input.exchangeId,
    object: 'chat.completion.chunk',
    created: envelope?.created ?? 0,
    model: envelope?.model || input.modelId,
    choices: [],
    usage: input.usage,
  })
}

export function errorEvent(error: ApiError): Buffer {
  return encodeEvent(error.toBody())
}

/** The upstream's own usage, or ours, with what this site charged for it in place of what it paid. */
export function chargedUsage(charge: Charge, settlement: Settlement): Record<string, unknown> {
  const { tokens, report } = charge
  const counts = report ?? {
    prompt_tokens: tokens.inputTokenCount,
    completion_tokens: tokens.outputTokenCount,
    total_tokens: tokens.inputTokenCount + tokens.outputTokenCount,
  }
  const { cost_details: _upstreamCosts, is_byok: _upstreamKey, ...shown } = counts
  return {
    ...shown,
    cost: nanoToUsdNumber(settlement.chargedNano),
    ...(settlement.balanceNano === null ? {} : { balance_usd: nanoToUsdNumber(settlement.balanceNano) }),
    ...(charge.estimated ? { estimated: true } : {}),
  }
}

function encodeEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}
