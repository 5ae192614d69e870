import { fieldOf, numberOf, textOf } from '@/lib/http/client/call-api'
import type { UsageDetail } from '../domain/usage'

/** One call as `GET /queries/history` tells it. Amounts are dollars. */
export interface UsageEntry {
  id: string
  /** ISO 8601. */
  timestamp: string
  modelId: string
  inputTokenCount: number
  cachedInputTokenCount: number
  outputTokenCount: number
  reasoningTokenCount: number
  priceUsd: number
  heldUsd: number
  queryType: string
  source: 'web' | 'api'
  keyId: string | null
  status: UsageDetail['status']
  errorCode: string | null
  /** The token counts are ours. */
  estimated: boolean
  costBasis: UsageDetail['costBasis']
  /** Decimal strings in dollars per unit, at the time of the call. */
  priceSnapshot: Record<string, string>
  durationMs: number
  timeToFirstTokenMs: number | null
}

const STATUSES: readonly UsageDetail['status'][] = [
  'completed',
  'stopped',
  'disconnected',
  'failed',
  'expired',
]
const COST_BASES: readonly UsageDetail['costBasis'][] = [
  'upstream_cost',
  'upstream_tokens',
  'upstream_record',
  'local_count',
  'none',
]

/** Null when the answer is no call. */
export function parseUsageEntry(answer: unknown): UsageEntry | null {
  const id = textOf(answer, 'id')
  const timestamp = textOf(answer, 'timestamp')
  if (id === null || timestamp === null || Number.isNaN(Date.parse(timestamp))) return null
  const count = (name: string) => numberOf(answer, name) ?? 0
  return {
    id,
    timestamp,
    modelId: textOf(answer, 'model') ?? '',
    inputTokenCount: count('input_count'),
    cachedInputTokenCount: count('cached_input_count'),
    outputTokenCount: count('output_count'),
    reasoningTokenCount: count('reasoning_count'),
    priceUsd: count('price_in_usd'),
    heldUsd: count('held_usd'),
    queryType: textOf(answer, 'query_type') ?? 'chat',
    source: fieldOf(answer, 'query_source') === 'api' ? 'api' : 'web',
    keyId: textOf(answer, 'api_key_id'),
    status: STATUSES.find(status => status === fieldOf(answer, 'status')) ?? 'completed',
    errorCode: textOf(answer, 'error_code'),
    estimated: fieldOf(answer, 'estimated') === true,
    costBasis: COST_BASES.find(basis => basis === fieldOf(answer, 'cost_basis')) ?? 'none',
    priceSnapshot: textsOf(fieldOf(answer, 'price_snapshot')),
    durationMs: count('duration_ms'),
    timeToFirstTokenMs: numberOf(answer, 'time_to_first_token_ms'),
  }
}

function textsOf(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'))
}
