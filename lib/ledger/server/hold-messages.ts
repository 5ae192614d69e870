import type { HoldState } from '../domain/holds'
import type { UsageDetail } from '../domain/usage'

/**
 * What the database's functions place_hold and resolve_hold are asked and answer
 * (lib/db/migrations/functions). Amounts are nano-dollars as decimal text: JSON has no bigint.
 */

export interface PlaceHoldRequest {
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
}

export type PlacedHold =
  | { outcome: 'unknown_credential' }
  | { outcome: 'insufficient_credit' | 'key_limit_reached'; available_nano: string }
  | { outcome: 'duplicate'; account_id: string; hold_id: string; state: HoldState; same_request: boolean }
  | { outcome: 'held'; account_id: string; key_id: string | null; amount_nano: string }

export interface ResolveHoldRequest {
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
