import 'server-only'
import type { Database } from '@/lib/db/database'
import type { HoldState } from '../domain/holds'
import type { KeyRouting } from '../domain/keys'
import type { UsageDetail } from '../domain/usage'
import { callFunction } from './ask-database'
import { Batcher } from './batcher'

/** The pool's other connections stay free for everything else. */
const LANE_COUNT = 3

/**
 * How many turns of the event loop a call waits for others to join it. A settlement lets holds go first:
 * they stand before the first token, it stands behind the last.
 */
const TURN_COUNTS = { placing: 1, resolving: 3 } as const

/** What the ledger's verbs work with. The two that every exchange needs go out in batches. */
export interface LedgerContext {
  readonly database: Database
  placeHold(request: PlaceHoldRequest): Promise<PlacedHold>
  resolveHold(request: ResolveHoldRequest): Promise<ResolvedHold>
}

export function createLedgerContext({ database }: { database: Database }): LedgerContext {
  const placing = new Batcher<PlaceHoldRequest, PlacedHold>({
    laneCount: LANE_COUNT,
    turnCount: TURN_COUNTS.placing,
    ask: requests => callFunction(database, 'place_holds', requests),
  })
  const resolving = new Batcher<ResolveHoldRequest, ResolvedHold>({
    laneCount: LANE_COUNT,
    turnCount: TURN_COUNTS.resolving,
    ask: requests => callFunction(database, 'resolve_holds', requests),
  })
  return {
    database,
    placeHold: request => placing.run(request),
    resolveHold: request => resolving.run(request),
  }
}

/**
 * What the database's functions place_hold and resolve_hold are asked and answer
 * (lib/db/migrations/functions). Amounts are nano-dollars as decimal text: JSON has no bigint.
 */
interface PlaceHoldRequest {
  hold_id: string
  credential_kind: 'credit_id' | 'api_key'
  secret_hash: string
  amount_nano: string
  minimum_nano: string
  least_nano: string
  ttl_seconds: number
  idempotency_key_hash: string | null
  request_hash: string
  query_type: string
  query_source: string
  model_id: string
  price_snapshot: Record<string, string>
  key_routing: KeyRouting | null
}

export type PlacedHold =
  | { outcome: 'unknown_credential' }
  | { outcome: 'insufficient_credit' | 'key_limit_reached'; available_nano: string }
  | { outcome: 'other_routing'; key_routing: KeyRouting | null }
  | { outcome: 'duplicate'; account_id: string; hold_id: string; state: HoldState; same_request: boolean }
  | { outcome: 'held'; account_id: string; key_id: string | null; amount_nano: string }

interface ResolveHoldRequest {
  hold_id: string
  /** `expired`: only where the hold's time is over, and as its checkpoint says. */
  state: 'settled' | 'released' | 'expired'
  cost_nano: string
  absorbed_nano?: string
  usage: UsageDetail
}

export type ResolvedHold =
  | { outcome: 'unknown_hold' }
  | { outcome: 'already_resolved'; state: HoldState; charged_nano: string; balance_nano: string }
  | {
      outcome: 'resolved'
      state: 'settled' | 'released'
      charged_nano: string
      loss_nano: string
      balance_nano: string
    }
