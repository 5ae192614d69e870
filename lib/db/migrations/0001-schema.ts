import { NANO_MAX } from '@/lib/money/nano'
import { PAYMENT_TABLES } from './0001-payment-tables'
import { NAMES } from './functions/names'
import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * Every domain: its type and its check. PostgreSQL keeps a table's checks as text and reads all of that text
 * anew in every statement that writes to the table: half of the work of a hold and its settlement. A domain's
 * checks are read once per connection. Only what compares several columns stays with the table, in as few
 * words as it takes.
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
 * The ledger's tables. What keeps them right is written down in lib/ledger/README.md; each check repeats a
 * guard of the functions that write.
 */
const LEDGER_TABLES = [
  // Room on each page keeps an update of balance and holds on its page, where no index has to follow.
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
  // What all of these amounts are: written by the first start, and refused by every start of the other kind.
  `create table money (
    only_row boolean primary key default true check (only_row),
    kind money_kind not null,
    claimed_at timestamptz not null default now()
  )`,
  // No foreign keys here and on transfer: take_hold has just locked the account and read the key, they
  // are never deleted, and checking again costs a tenth of a hold, or on the revenue account a lock
  // in every settlement. ledger:check looks for strays.
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
  // One reference is one posting, of one leg or several; the primary key makes it happen once.
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
  // When each that is limited has all of its uses back, in microseconds since 1970 (lib/http/rate-limits.ts).
  `create table rate_limit (
    key text primary key,
    expire bigint not null
  )`,
  // Which credit a signed-in person keeps with the account (lib/auth/README.md). The credit_id is sealed with
  // the operator's key; its hash is left out on purpose, so that the table alone does not tell whose money is
  // whose.
  `create table account_link (
    user_id uuid primary key,
    sealed_credit_id text not null check (length(sealed_credit_id) between 40 and 256),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
  // Finished answers, sealed, for ten minutes. The keys that open them are in nobody's table. No foreign key
  // to the account: with a payments host, it is in the host's books.
  `create table replay (
    exchange_id uuid primary key,
    account_id uuid not null,
    resume_name text unique,
    sealed bytea not null,
    expires_at timestamptz(3) not null
  )`,
  `create index replay_expiry on replay (expires_at)`,
  // Which answers are being written, by whatever process of the deployment, and which of them its owner has
  // been asked to stop. Unlogged: after a crash of the database their owners write them again.
  `create unlogged table running_exchange (
    exchange_id uuid primary key,
    account_id uuid not null,
    resume_name text unique,
    stop_requested boolean not null default false,
    expires_at timestamptz(3) not null
  )`,
  `create index running_exchange_expiry on running_exchange (expires_at)`,
  // What was applied: each migration once, each function whenever its text has changed (migrate-database.ts).
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
    // Checks below call them.
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

/** Read from the statements themselves, so that no table can be left unprotected. */
function createdTable(statement: string): string[] {
  const name = /^create (?:unlogged )?table (\w+)/.exec(statement)?.[1]
  return name === undefined ? [] : [name]
}
