import type { Generated } from 'kysely'
import type { HoldState } from '@/lib/ledger/domain/holds'
import type { KeyRouting, ResetPeriod } from '@/lib/ledger/domain/keys'
import type { ExchangeDetail, UsageDetail } from '@/lib/ledger/domain/usage'
import type { SYSTEM_ACCOUNT_IDS } from './system-accounts'

/**
 * The tables of the ledger, of exchanges and of the schema itself, as `migrations/` creates them. Payments and auth
 * describe theirs beside the code that uses them (such as `payment-tables.ts`).
 */
export interface Schema {
  account: AccountTable
  leaving: LeavingTable
  api_key: ApiKeyTable
  hold: HoldTable
  transfer: TransferTable
  usage_month: UsageMonthTable
  money: MoneyTable
  receipt_key: ReceiptKeyTable
  replay: ReplayTable
  running_exchange: RunningExchangeTable
  schema_migration: SchemaMigrationTable
  schema_function: SchemaFunctionTable
}

interface AccountTable {
  id: Generated<string>
  kind: 'credit' | keyof typeof SYSTEM_ACCOUNT_IDS
  credit_id_hash: string | null
  balance_nano: Generated<bigint>
  held_nano: Generated<bigint>
  debt_nano: Generated<bigint>
  merged_nano: Generated<bigint>
  /** The total ever charged for calls. */
  charged_nano: Generated<bigint>
  merge_group_id: string | null
  risk_day: string | null
  risk_nano: Generated<bigint>
  /** Of `risk_day`, too. */
  lost_nano: Generated<bigint>
  attribution: Record<string, string> | null
  /** Null if the account is kept. */
  remove_unpaid_at: Date | null
  created_at: Generated<Date>
}

/** An account was merged into another, leaving nothing. Rows are only added. */
interface LeavingTable {
  id: Generated<bigint>
  account_id: string
  for_account_id: string
  left_at: Date
}

interface ApiKeyTable {
  id: Generated<string>
  account_id: string
  secret_hash: string
  hint: string
  label: string
  usage_limit_nano: bigint | null
  reset_period: ResetPeriod
  usage_period_start: Date
  usage_nano: Generated<bigint>
  held_nano: Generated<bigint>
  /** The total ever charged for calls with this key, in all periods. */
  charged_nano: Generated<bigint>
  routing: KeyRouting | null
  expires_at: Date | null
  created_at: Generated<Date>
  revoked_at: Date | null
}

export interface HoldTable {
  id: string
  account_id: string
  key_id: string | null
  state: Generated<HoldState>
  amount_nano: bigint
  charged_nano: bigint | null
  loss_nano: bigint | null
  risk_nano: Generated<bigint>
  idempotency_key_hash: string | null
  request_hash: string
  query_type: ExchangeDetail['queryType']
  query_source: ExchangeDetail['querySource']
  model_id: string
  price_snapshot: Record<string, string>
  usage: UsageDetail | null
  checkpoint: KeptCheckpoint | null
  expires_at: Date
  created_at: Generated<Date>
  resolved_at: Date | null
}

/** An amount as text: JSON has no bigint. */
export interface KeptCheckpoint {
  cost_nano: string
  absorbed_nano?: string
  usage: UsageDetail
}

interface UsageMonthTable {
  account_id: string
  /** Null for calls made with the credit itself. */
  key_id: string | null
  /** The month's first day, in UTC. */
  month: Date
  call_count: bigint
  failed_call_count: bigint
  charged_nano: bigint
  loss_nano: bigint
}

/** A single row at most. */
export interface MoneyTable {
  kind: 'pretend' | 'real'
  claimed_at: Generated<Date>
}

interface ReceiptKeyTable {
  kid: string
  /** Both as base64url: `x` and `d` of the JWK. */
  public_key: string
  /** Null if it is set by the operator, or was replaced. */
  private_key: string | null
  created_at: Generated<Date>
}

interface TransferTable {
  reference: string
  leg: number
  debit_account_id: string
  credit_account_id: string
  amount_nano: bigint
  kind: 'credit' | 'reversal' | 'debt' | 'charge' | 'loss' | 'merge' | 'collection'
  memo: Record<string, string>
  created_at: Generated<Date>
}

interface ReplayTable {
  exchange_id: string
  account_id: string
  resume_name: string | null
  sealed: Uint8Array
  expires_at: Date
}

interface RunningExchangeTable {
  exchange_id: string
  account_id: string
  resume_name: string | null
  stop_requested: Generated<boolean>
  expires_at: Date
}

interface SchemaMigrationTable {
  name: string
  is_unfinished: Generated<boolean>
  applied_at: Generated<Date>
}

interface SchemaFunctionTable {
  name: string
  text_hash: string
  version: Generated<number>
  applied_at: Generated<Date>
}
