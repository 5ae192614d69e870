import type { Query } from '@/lib/api/contracts/queries'

/** A successful chat call. */
export function someCall(part: Partial<Query> = {}): Query {
  return {
    id: 'e',
    timestamp: '2026-11-20T10:00:00.000Z',
    model: 'a',
    input_count: 1_000,
    cached_input_count: 0,
    output_count: 500,
    reasoning_count: 0,
    price_in_usd: 0.002,
    held_usd: 0.01,
    query_type: 'chat',
    query_source: 'web',
    api_key_id: null,
    status: 'completed',
    error_code: null,
    cost_basis: 'upstream_tokens',
    estimated: false,
    price_snapshot: { prompt: '0.000001', completion: '0.000002' },
    duration_ms: 1,
    time_to_first_token_ms: null,
    ...part,
  }
}
