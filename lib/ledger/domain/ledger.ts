import type { Nano } from '@/lib/money/nano'

/**
 * The ledger's verbs, as everything outside sees them. `server/` answers them from PostgreSQL,
 * `host/` from another deployment over HTTP; both pass the same contract tests.
 *
 * Lost races (insufficient credit, already resolved, already credited) are expected results, never
 * thrown. Thrown errors mean that the ledger could not be asked.
 */
export interface Ledger {
  createAccount(input: CreateAccountInput): Promise<{ accountId: string; firstKeyId: string | null }>
  getBalance(input: { credential: Credential }): Promise<Balance | null>
  hold(input: HoldInput): Promise<HoldResult>
  /** Keeps an open hold alive; false when it is no longer open. */
  renew(input: RenewInput): Promise<{ renewed: boolean }>
  settle(input: SettleInput): Promise<SettleResult>
  release(input: ReleaseInput): Promise<SettleResult>
  /** Moves money from a system account to a person's credit, at most once per `reference`. */
  credit(input: CreditInput): Promise<CreditResult>
  /**
   * Takes back credited money (refund, chargeback), at most once per `reference`: what is available now is
   * taken, from the credits too that the money was merged into. The rest the person owes: it is taken from
   * whatever becomes free or comes in, before any of that is available.
   */
  reverse(input: ReverseInput): Promise<ReverseResult>
  /**
   * Moves what `from` has available to `into`, or what it owes, at most once per `reference` of the same two.
   * What is held stays. When there is nothing to move nothing is written, and the reference stays free. A key
   * moves money only where it alone holds the account.
   */
  merge(input: MergeInput): Promise<MergeResult>
  /** Ends open holds whose time is over: charges the last checkpoint of each, releases one without. */
  sweep(input: { holdCountMax: number }): Promise<SweepResult>

  /** At most 200 keys of an account work at a time, and 1,000 are ever made. */
  createKey(input: CreateKeyInput): Promise<ApiKey>
  listKeys(input: { accountId: string }): Promise<ApiKey[]>
  getKey(input: { accountId: string; keyId: string }): Promise<ApiKey | null>
  updateKey(input: UpdateKeyInput): Promise<ApiKey | null>
  /** Soft: the row stays, the key stops working. Null when the account has no such key. */
  revokeKey(input: { accountId: string; keyId: string }): Promise<ApiKey | null>
  listUsage(input: ListUsageInput): Promise<UsagePage>
  /** Null for an exchange that still runs, another account's and an unknown one. */
  getUsage(input: { accountId: string; holdId: string }): Promise<UsageRecord | null>
}

/** SHA-256 of the secret, as lowercase hex; the ledger never sees a secret in clear. */
export interface Credential {
  kind: 'credit_id' | 'api_key'
  secretHash: string
}

export interface Balance {
  accountId: string
  /** The key that was used, when the credential is an API key. */
  keyId: string | null
  balanceNano: Nano
  heldNano: Nano
  /** What a new hold may take: balance less holds, and less than what the key's limit leaves. */
  availableNano: Nano
  /**
   * What is taken from the next money that comes in or free: the account's own debt, and what it answers for
   * because the money of a credit that owes was merged into it. None of the balance.
   */
  debtNano: Nano
}

export interface CreateAccountInput {
  /** Null for an account that its first key alone holds, as an earlier version made them. */
  creditIdHash: string | null
  firstKey: { secretHash: string; hint: string } | null
  /** Where the visitor came from (the specification's utm record); counts, never contents. */
  attribution: Record<string, string> | null
}

/**
 * Five cents: what the operator lends an account each day (UTC) so that a little money still buys something.
 * Most short calls cost far less than their bound, which reckons one token to a byte; who means to abuse it
 * has to pay in on a new account for every five cents.
 */
export const RISK_PER_ACCOUNT_DAY_NANO_MAX: Nano = 50_000_000n

export interface HoldInput {
  credential: Credential
  /** The upper bound of the cost. Held in full, or down to `minimumNano` when the balance affords no more. */
  amountNano: Nano
  minimumNano: Nano
  /**
   * What the call is reckoned to need, at most `minimumNano`. With less than the minimum but this much
   * available, all of it is held and the rest of the minimum is the operator's risk, as long as the account's
   * risk of the day allows. The same as the minimum takes none.
   */
  leastNano: Nano
  ttlSeconds: number
  /** SHA-256 hex of the caller's Idempotency-Key; null when none was sent. Unique per account. */
  idempotencyKeyHash: string | null
  /** SHA-256 hex of the request; tells a retry from another request under the same key. */
  requestHash: string
  exchange: ExchangeDetail
}

/** The kinds of paid calls. The wire and the database allow what stands here. */
export const QUERY_TYPES = [
  'chat',
  'image',
  'speech',
  'transcription',
  'responses',
  'messages',
  'completion',
  'embedding',
] as const

export type QueryType = (typeof QUERY_TYPES)[number]

/** What is known of an exchange when it starts; kept on the hold as its snapshot. */
export interface ExchangeDetail {
  queryType: QueryType
  querySource: 'web' | 'api'
  modelId: string
  /** Prices at the time of the hold, decimal strings in USD per unit; later changes do not touch it. */
  priceSnapshot: Record<string, string>
}

export type HoldResult =
  | { outcome: 'held'; holdId: string; accountId: string; keyId: string | null; amountNano: Nano }
  | { outcome: 'unknown_credential' }
  | { outcome: 'insufficient_credit'; availableNano: Nano; requiredNano: Nano }
  | { outcome: 'key_limit_reached'; availableNano: Nano; requiredNano: Nano }
  /** The idempotency key was seen before on this account. */
  | { outcome: 'duplicate'; holdId: string; accountId: string; sameRequest: boolean; state: HoldState }

export type HoldState = 'open' | 'settled' | 'released'

/** How an exchange ended, for the usage list: counts, never contents. */
export interface UsageDetail {
  status: 'completed' | 'stopped' | 'disconnected' | 'failed' | 'expired'
  errorCode: string | null
  inputTokenCount: number
  cachedInputTokenCount: number
  outputTokenCount: number
  reasoningTokenCount: number
  /** True when the counts are ours because the upstream told none. */
  estimated: boolean
  /** Where the charge comes from: the upstream's own cost, tokens x price, its record, or our count. */
  costBasis: 'upstream_cost' | 'upstream_tokens' | 'upstream_record' | 'local_count' | 'none'
  upstreamId: string | null
  durationMs: number
  timeToFirstTokenMs: number | null
}

export interface RenewInput {
  holdId: string
  ttlSeconds: number
  /** What the exchange has cost so far, should nobody live to settle it. Null leaves an earlier one as it is. */
  checkpoint: Checkpoint | null
}

export interface Checkpoint {
  costNano: Nano
  usage: UsageDetail
}

export interface SweepResult {
  releasedHoldIds: string[]
  /** Charged what their last checkpoint says, at most what they held. */
  settledHoldIds: string[]
}

export interface ReleaseInput {
  holdId: string
  /** What an upstream bills although nobody owes it: booked as the operator's loss. */
  absorbedNano?: Nano
  usage: UsageDetail
}

export interface SettleInput {
  holdId: string
  /** Charged up to the hold, whatever else is available; the rest is recorded as the operator's loss. */
  costNano: Nano
  /** What an upstream bills beyond it: booked as the operator's loss. */
  absorbedNano?: Nano
  usage: UsageDetail
}

export type SettleResult =
  | { outcome: 'resolved'; chargedNano: Nano; lossNano: Nano; balanceNano: Nano }
  /** Another finisher was first; its charge stands. */
  | { outcome: 'already_resolved'; state: HoldState; chargedNano: Nano; balanceNano: Nano }
  | { outcome: 'unknown_hold' }

export interface CreditInput {
  accountId: string
  amountNano: Nano
  source: 'gateway' | 'promotion' | 'operator'
  /** Unique among all transfers: what makes a repeated delivery harmless. */
  reference: string
  memo: Record<string, string>
}

export interface CreditResult {
  outcome: 'credited' | 'already_credited'
  balanceNano: Nano
}

export interface ReverseInput {
  accountId: string
  amountNano: Nano
  source: 'gateway' | 'promotion' | 'operator'
  reference: string
  memo: Record<string, string>
}

export interface ReverseResult {
  outcome: 'reversed' | 'already_reversed'
  takenNano: Nano
  /** What was not there to be taken at that moment. */
  debtNano: Nano
  balanceNano: Nano
}

export interface MergeInput {
  from: Credential
  /** A credit_id: an API key spends, it does not hold. */
  into: Credential
  reference: string
}

export type MergeResult =
  /** `balanceNano` is that of `into`; `movedNano`, when already merged, what the first time moved. */
  | { outcome: 'merged' | 'already_merged'; movedNano: Nano; balanceNano: Nano }
  | { outcome: 'same_account' | 'unknown_credential' }
  /** `from` is a key with a limit, or one of an account that has a credit_id. */
  | { outcome: 'key_only_spends' }

export type ResetPeriod = 'none' | 'daily' | 'weekly' | 'monthly'

export interface ApiKey {
  keyId: string
  label: string
  /** The last characters of the secret, to tell keys apart. */
  hint: string
  usageLimitNano: Nano | null
  /** Spent in the current reset period. */
  usageNano: Nano
  resetPeriod: ResetPeriod
  expiresAt: Date | null
  createdAt: Date
  revokedAt: Date | null
}

/** More than a person tells apart, and enough for a program that makes one for each of its users. */
export const ACTIVE_KEY_COUNT_MAX = 200
/** Revoked ones included: each is a row for ever, listed with what it spent. */
export const KEY_COUNT_MAX = 1_000

export interface CreateKeyInput {
  accountId: string
  secretHash: string
  hint: string
  label: string
  usageLimitNano: Nano | null
  resetPeriod: ResetPeriod
  expiresAt: Date | null
}

export interface UpdateKeyInput {
  accountId: string
  keyId: string
  label?: string
  usageLimitNano?: Nano | null
  resetPeriod?: ResetPeriod
  expiresAt?: Date | null
}

export interface UsageRecord extends UsageDetail, ExchangeDetail {
  /** The hold's id; also the exchange's id in the API. */
  holdId: string
  keyId: string | null
  heldNano: Nano
  chargedNano: Nano
  createdAt: Date
}

export interface ListUsageInput {
  accountId: string
  limit: number
  /** Opaque, from the page before; null for the newest. */
  cursor: string | null
  from: Date | null
  to: Date | null
  modelId: string | null
  keyId: string | null
}

export interface UsagePage {
  records: UsageRecord[]
  nextCursor: string | null
}
