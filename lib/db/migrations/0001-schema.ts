import { NANO_MAX } from '@/lib/money/nano'
import { PAYMENT_TABLES } from './0001-payment-tables'
import { NAMES } from './functions/names'
import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * Every domain: its type and its check. PostgreSQL stores a table's checks as text and parses all of it again in every
 * statement that writes to the table, which would take half the time of a hold and its settlement. A domain's checks
 * are parsed once per connection. Only comparisons between columns are table checks, as short as possible.
 */
const DOMAINS = {
  sha256_hex: ['text collate "C"', 'length(value) = 64'],
  nano_amount: ['bigint', `value between 0 and ${NANO_MAX}`],
  positive_nano_amount: ['bigint', `value > 0 and value <= ${NANO_MAX}`],
  nano_total: ['bigint', 'value >= 0'],
  account_kind: ['text', oneOf('credit', 'gateway', 'promotion', 'operator', 'revenue', 'operator_loss')],
  money_kind: ['text', oneOf('pretend', 'real')],
  key_reset_period: ['text', oneOf('none', 'daily', 'weekly', 'monthly')],
  hold_state: ['text', oneOf('open', 'settled', 'released')],
  query_type: ['text', 'is_query_type(value)'],
  query_source: ['text', oneOf('web', 'api')],
  transfer_kind: ['text', oneOf('credit', 'reversal', 'debt', 'charge', 'loss', 'merge', 'collection')],
  transfer_leg: ['smallint', 'value >= 0'],
} as const

/**
 * The ledger's tables. Their invariants are listed in lib/ledger/README.md; each check repeats a guard of the functions
 * that write.
 */
const LEDGER_TABLES = [
  // Free space on each page keeps updated balances and holds on the same page, where no index has to be updated.
  `create table account (
    id uuid primary key default gen_random_uuid(),
    kind account_kind not null,
    credit_id_hash sha256_hex unique,
    balance_nano bigint not null default 0,
    held_nano nano_total not null default 0,
    debt_nano nano_total not null default 0,
    merged_nano bigint not null default 0,
    merge_group_id uuid,
    risk_day date,
    risk_nano nano_total not null default 0,
    attribution jsonb,
    created_at timestamptz(3) not null default now(),
    constraint account_system_has_no_cache check (
      kind = 'credit' or (credit_id_hash is null and balance_nano = 0 and held_nano = 0 and debt_nano = 0)
    ),
    constraint account_available_not_negative check (balance_nano >= held_nano),
    constraint account_debt_leaves_nothing_available check (debt_nano = 0 or balance_nano = held_nano)
  ) with (fillfactor = 70)`,
  `insert into account (id, kind) values
    ('00000000-0000-4000-8000-000000000001', 'gateway'),
    ('00000000-0000-4000-8000-000000000002', 'promotion'),
    ('00000000-0000-4000-8000-000000000003', 'operator'),
    ('00000000-0000-4000-8000-000000000004', 'revenue'),
    ('00000000-0000-4000-8000-000000000005', 'operator_loss')`,
  `create index account_merge_group on account (merge_group_id) where merge_group_id is not null`,
  `create table api_key (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references account (id),
    secret_hash sha256_hex not null unique,
    hint text not null,
    label text not null,
    usage_limit_nano nano_amount,
    reset_period key_reset_period not null,
    usage_period_start timestamptz not null,
    usage_nano nano_total not null default 0,
    held_nano nano_total not null default 0,
    expires_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    revoked_at timestamptz(3)
  ) with (fillfactor = 70)`,
  `create index api_key_account on api_key (account_id, created_at)`,
  // Whether all amounts are pretend or real money: written by the first start, and every start of the other kind is
  // refused.
  `create table money (
    only_row boolean primary key default true check (only_row),
    kind money_kind not null,
    claimed_at timestamptz not null default now()
  )`,
  // No foreign keys here or on transfer: take_hold has just locked the account and read the key, neither is ever
  // deleted, and another check would cost a tenth of a hold, or, on the revenue account, a lock in every settlement.
  // ledger:check finds orphans.
  `create table hold (
    id uuid primary key,
    account_id uuid not null,
    key_id uuid,
    state hold_state not null default 'open',
    amount_nano nano_amount not null,
    charged_nano nano_amount,
    loss_nano nano_amount,
    risk_nano nano_amount not null default 0,
    idempotency_key_hash sha256_hex,
    request_hash sha256_hex not null,
    query_type query_type not null,
    query_source query_source not null,
    model_id text not null,
    price_snapshot jsonb not null,
    usage jsonb,
    checkpoint jsonb,
    expires_at timestamptz not null,
    created_at timestamptz(3) not null default now(),
    resolved_at timestamptz,
    constraint hold_open_or_resolved check (
      num_nulls(charged_nano, loss_nano, usage, resolved_at) = case state when 'open' then 4 else 0 end
    ),
    constraint hold_bounds_charge check (charged_nano <= amount_nano),
    constraint hold_released_is_free check (state <> 'released' or charged_nano = 0)
  ) with (fillfactor = 70)`,
  `create unique index hold_idempotency_key on hold (account_id, idempotency_key_hash)
    where idempotency_key_hash is not null`,
  `create index hold_usage on hold (account_id, created_at desc, id desc) where state <> 'open'`,
  `create index hold_open on hold (expires_at) where state = 'open'`,
  `create index hold_released on hold (resolved_at) where state = 'released'`,
  // Each reference is one posting, of one or several legs; the primary key makes it happen only once.
  `create table transfer (
    reference text collate "C" not null,
    leg transfer_leg not null,
    debit_account_id uuid not null,
    credit_account_id uuid not null,
    amount_nano positive_nano_amount not null,
    kind transfer_kind not null,
    memo jsonb not null,
    created_at timestamptz(3) not null default now(),
    primary key (reference, leg),
    constraint transfer_two_accounts check (debit_account_id <> credit_account_id)
  )`,
]

const OTHER_TABLES = [
  // When each limited client has all its uses back, in microseconds since 1970 (lib/http/rate-limits.ts).
  `create table rate_limit (
    key text primary key,
    expire bigint not null
  )`,
  // The credit that a signed-in person has linked to the account (lib/auth/README.md). The credit_id is sealed with the
  // operator's key. Its hash is deliberately not stored, so that the table alone does not reveal whose money is whose.
  `create table account_link (
    user_id uuid primary key,
    sealed_credit_id text not null check (length(sealed_credit_id) between 40 and 256),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
  // Finished answers, sealed, for ten minutes. The keys that open them are in no table. No foreign key to the account:
  // with a payments host, it is in the host's books.
  `create table replay (
    exchange_id uuid primary key,
    account_id uuid not null,
    resume_name text unique,
    sealed bytea not null,
    expires_at timestamptz(3) not null
  )`,
  `create index replay_expiry on replay (expires_at)`,
  // The answers that are being written, by any process of the deployment, and which of them have been asked to stop.
  // Unlogged: after a crash of the database their owners write them again.
  `create unlogged table running_exchange (
    exchange_id uuid primary key,
    account_id uuid not null,
    resume_name text unique,
    stop_requested boolean not null default false,
    expires_at timestamptz(3) not null
  )`,
  `create index running_exchange_expiry on running_exchange (expires_at)`,
  // What has been applied: each migration once, each function whenever its text has changed (migrate-database.ts).
  `create table schema_migration (
    name text primary key,
    applied_at timestamptz not null default now()
  )`,
  `create table schema_function (
    name text primary key,
    text_hash sha256_hex not null,
    applied_at timestamptz not null default now()
  )`,
]

const TABLE_STATEMENTS = [...LEDGER_TABLES, ...PAYMENT_TABLES, ...OTHER_TABLES]

export const schema: Migration = {
  name: '0001-schema',
  statements: [
    // The checks below call these.
    ...NAMES.map(({ text }) => text),
    ...Object.entries(DOMAINS).map(
      ([name, [type, check]]) => `create domain ${name} as ${type} check (${check})`,
    ),
    ...TABLE_STATEMENTS,
    ...TABLE_STATEMENTS.flatMap(createdTable).flatMap(protectTable),
  ],
}

function oneOf(...values: readonly string[]): string {
  return `value in (${values.map(value => `'${value}'`).join(', ')})`
}

/** Parsed from the statements themselves, so that no table can be left unprotected. */
function createdTable(statement: string): string[] {
  const name = /^create (?:unlogged )?table (\w+)/.exec(statement)?.[1]
  return name === undefined ? [] : [name]
}
