import { NANO_MAX } from '@/lib/money/nano'
import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * The ledger's tables. What keeps them right is written down in lib/ledger/README.md; each `check` here
 * repeats a guard of the functions that write.
 */
export const initialTables: Migration = {
  name: '0001-initial-tables',
  statements: [
    `create table schema_migration (
      name text primary key,
      applied_at timestamptz not null default now()
    )`,
    // Room on each page keeps an update of balance and holds on its page, where no index has to follow.
    `create table account (
      id uuid primary key default gen_random_uuid(),
      kind text not null check (kind in ('credit', 'gateway', 'promotion', 'operator', 'revenue', 'operator_loss')),
      credit_id_hash text collate "C" unique check (length(credit_id_hash) = 64),
      balance_nano bigint not null default 0,
      held_nano bigint not null default 0,
      attribution jsonb,
      created_at timestamptz(3) not null default now(),
      constraint account_credit_id check ((kind = 'credit') = (credit_id_hash is not null)),
      constraint account_system_has_no_cache check (kind = 'credit' or (balance_nano = 0 and held_nano = 0)),
      constraint account_held_not_negative check (held_nano >= 0),
      constraint account_available_not_negative check (balance_nano >= held_nano)
    ) with (fillfactor = 70)`,
    `insert into account (id, kind) values
      ('00000000-0000-4000-8000-000000000001', 'gateway'),
      ('00000000-0000-4000-8000-000000000002', 'promotion'),
      ('00000000-0000-4000-8000-000000000003', 'operator'),
      ('00000000-0000-4000-8000-000000000004', 'revenue'),
      ('00000000-0000-4000-8000-000000000005', 'operator_loss')`,
    `create table api_key (
      id uuid primary key default gen_random_uuid(),
      account_id uuid not null references account (id),
      secret_hash text collate "C" not null unique check (length(secret_hash) = 64),
      hint text not null,
      label text not null,
      usage_limit_nano bigint check (usage_limit_nano between 0 and ${NANO_MAX}),
      reset_period text not null check (reset_period in ('none', 'daily', 'weekly', 'monthly')),
      usage_period_start timestamptz not null,
      usage_nano bigint not null default 0 check (usage_nano >= 0),
      held_nano bigint not null default 0 check (held_nano >= 0),
      expires_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      revoked_at timestamptz(3)
    ) with (fillfactor = 70)`,
    `create index api_key_account on api_key (account_id, created_at)`,
    // No foreign keys here and on transfer: place_holds has just locked the account and read the key, they
    // are never deleted, and checking again costs a tenth of a hold, or on the revenue account a lock
    // in every settlement. ledger:check looks for strays.
    `create table hold (
      id uuid primary key,
      account_id uuid not null,
      key_id uuid,
      state text not null default 'open' check (state in ('open', 'settled', 'released')),
      amount_nano bigint not null check (amount_nano between 0 and ${NANO_MAX}),
      charged_nano bigint,
      loss_nano bigint check (loss_nano between 0 and ${NANO_MAX}),
      idempotency_key_hash text collate "C" check (length(idempotency_key_hash) = 64),
      request_hash text collate "C" not null check (length(request_hash) = 64),
      query_type text not null check (query_type in ('chat', 'image', 'speech', 'transcription')),
      query_source text not null check (query_source in ('web', 'api')),
      model_id text not null,
      price_snapshot jsonb not null,
      usage jsonb,
      expires_at timestamptz not null,
      created_at timestamptz(3) not null default now(),
      resolved_at timestamptz,
      constraint hold_open_or_resolved check (
        (state = 'open') = (charged_nano is null) and (state = 'open') = (loss_nano is null)
        and (state = 'open') = (usage is null) and (state = 'open') = (resolved_at is null)
      ),
      constraint hold_charge check (charged_nano between 0 and ${NANO_MAX}),
      constraint hold_released_is_free check (state <> 'released' or (charged_nano = 0 and loss_nano = 0))
    ) with (fillfactor = 70)`,
    `create unique index hold_idempotency_key on hold (account_id, idempotency_key_hash)
      where idempotency_key_hash is not null`,
    `create index hold_usage on hold (account_id, created_at desc, id desc) where state <> 'open'`,
    `create index hold_open on hold (expires_at) where state = 'open'`,
    // One reference is one posting, of one or two legs; the primary key makes it happen once.
    `create table transfer (
      reference text collate "C" not null,
      leg smallint not null check (leg in (0, 1)),
      debit_account_id uuid not null,
      credit_account_id uuid not null,
      amount_nano bigint not null check (amount_nano > 0 and amount_nano <= ${NANO_MAX}),
      kind text not null check (kind in ('credit', 'reversal', 'charge', 'loss')),
      memo jsonb not null,
      created_at timestamptz(3) not null default now(),
      primary key (reference, leg),
      constraint transfer_two_accounts check (debit_account_id <> credit_account_id)
    )`,
    `create function refuse_transfer_change() returns trigger language plpgsql as $$
begin
  raise exception 'transfers are append-only: write a compensating one';
end
$$`,
    `create trigger transfer_append_only before update or delete or truncate on transfer
      for each statement execute function refuse_transfer_change()`,
    ...['schema_migration', 'account', 'api_key', 'hold', 'transfer'].flatMap(protectTable),
  ],
}
