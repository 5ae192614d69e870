import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Credential } from '../domain/accounts'
import type { HoldState } from '../domain/holds'
import type { KeyRouting } from '../domain/keys'
import type { UsageDetail } from '../domain/usage'
import { callFunction } from './ask-database'
import { Batcher } from './batcher'

/** The pool's other connections stay free for everything else. */
const LANE_COUNT_MAX = 6

/** A database on the same machine has answered by then; who waits longer meets a far one, or somebody else's lock. */
const PATIENCE_MS = 5

/** What the ledger's verbs work with. The two that every exchange needs go out in batches. */
export interface LedgerContext {
  readonly database: Database
  placeHold(request: PlaceHoldRequest): Promise<PlacedHold>
  resolveHold(request: ResolveHoldRequest): Promise<ResolvedHold>
}

export function createLedgerContext({ database }: { database: Database }): LedgerContext {
  const batcher = new Batcher<PlaceHoldRequest | ResolveHoldRequest, PlacedHold | ResolvedHold>({
    laneCountMax: LANE_COUNT_MAX,
    patienceMs: PATIENCE_MS,
    ask: requests => callFunction(database, 'move_holds', requests),
  })
  return {
    database,
    placeHold: async request => (await batcher.run(request)) as PlacedHold,
    resolveHold: async request => (await batcher.run(request)) as ResolvedHold,
  }
}

/**
 * What the database's functions take_hold and end_hold are asked and answer
 * (lib/db/migrations/functions). Amounts are nano-dollars as decimal text: JSON has no bigint.
 */
interface PlaceHoldRequest {
  hold_id: string
  credential_kind: Credential['kind']
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
  | { outcome: 'loss_limit_reached'; retry_after_seconds: number }
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
  | {
      outcome: 'already_resolved'
      state: HoldState
      charged_nano: string
      /** Of this late end, if it has one. */
      loss_nano?: string
      balance_nano: string
    }
  | {
      outcome: 'resolved'
      state: 'settled' | 'released'
      charged_nano: string
      loss_nano: string
      balance_nano: string
    }
