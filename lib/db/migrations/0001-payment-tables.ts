/**
 * Invoices and their payments (lib/payments). The checks enforce the order in which totals grow: seen, claimed,
 * credited; an open claim is finished before the next one is made.
 */
export const PAYMENT_TABLES = [
  // `in_time_nano` is the basis of the bonus; `approved_nano` is what the operator allows beyond the maximum.
  `create table invoice (
    id uuid primary key,
    account_id uuid not null references account (id),
    gateway text not null check (is_gateway(gateway)),
    gateway_invoice_id text not null,
    method text not null check (is_payment_method(method)),
    requested_amount text not null,
    requested_currency text not null check (is_currency(requested_currency)),
    amount_nano bigint not null check (amount_nano > 0),
    bonus_fraction text not null default '0',
    state text not null default 'New' check (state in ('New', 'Processing', 'Settled', 'Expired', 'Invalid')),
    paid_late boolean not null default false,
    paid_nano bigint not null default 0,
    in_time_nano bigint not null default 0,
    maximum_nano bigint not null,
    approved_nano bigint not null default 0 check (approved_nano >= 0),
    approved_by text,
    approved_reason text,
    claimed_nano bigint not null default 0,
    credited_nano bigint not null default 0,
    bonus_claimed_nano bigint not null default 0,
    bonus_nano bigint not null default 0 check (bonus_nano >= 0),
    refund_seen_nano bigint not null default 0,
    reversal_claimed_nano bigint not null default 0,
    reversed_nano bigint not null default 0,
    reversal_bonus_claimed_nano bigint not null default 0,
    reversed_bonus_nano bigint not null default 0,
    reversal_count integer not null default 0,
    checkout_url text,
    lightning_invoice text,
    bitcoin_address text,
    bitcoin_due text,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    updated_at timestamptz(3) not null default now(),
    checked_at timestamptz(3),
    next_check_at timestamptz(3),
    constraint invoice_gateway_invoice unique (gateway, gateway_invoice_id),
    constraint invoice_credit_order check (
      credited_nano >= 0 and credited_nano <= claimed_nano and claimed_nano <= paid_nano
    ),
    constraint invoice_within_limit check (
      claimed_nano <= maximum_nano + approved_nano and in_time_nano >= 0 and in_time_nano <= paid_nano
    ),
    constraint invoice_bonus_order check (bonus_nano <= bonus_claimed_nano),
    constraint invoice_reversal_order check (
      refund_seen_nano >= 0
      and reversed_nano >= 0 and reversed_nano <= credited_nano
      and reversal_claimed_nano >= 0 and reversal_claimed_nano <= credited_nano
      and reversed_bonus_nano >= 0 and reversed_bonus_nano <= bonus_nano
      and reversal_bonus_claimed_nano >= 0 and reversal_bonus_claimed_nano <= bonus_nano
    )
  ) with (fillfactor = 80)`,
  `create index invoice_account on invoice (account_id, created_at desc)`,
  `create index invoice_due on invoice (next_check_at) where next_check_at is not null`,
  `create index invoice_with_rest on invoice (created_at)
    where paid_nano > refund_seen_nano + maximum_nano + approved_nano`,
  // The value of each bitcoin payment, fixed once (lib/payments/domain/arrivals.ts).
  `create table invoice_payment (
    invoice_id uuid not null references invoice (id),
    payment_id text not null,
    bitcoin text not null,
    in_time boolean not null,
    at_invoice_rate_nano bigint not null check (at_invoice_rate_nano >= 0),
    usd_per_bitcoin text,
    worth_nano bigint check (worth_nano >= 0),
    primary key (invoice_id, payment_id)
  )`,
  // How much each refund took of its invoice, for gateways that list them one by one; fixed once.
  `create table invoice_refund (
    invoice_id uuid not null references invoice (id),
    refund_id text not null,
    bitcoin text not null,
    worth_nano bigint not null check (worth_nano >= 0),
    primary key (invoice_id, refund_id)
  )`,
  `create table invoice_dispute (
    gateway text not null,
    dispute_id text not null,
    invoice_id uuid not null references invoice (id),
    amount_nano bigint not null check (amount_nano >= 0),
    returned boolean not null default false,
    primary key (gateway, dispute_id)
  )`,
  `create index invoice_dispute_invoice on invoice_dispute (invoice_id)`,
  `create table sandbox_payment (
    id uuid primary key default gen_random_uuid(),
    gateway_invoice_id text not null,
    amount_nano bigint not null check (amount_nano > 0),
    paid_at timestamptz(3) not null default now()
  )`,
  `create index sandbox_payment_invoice on sandbox_payment (gateway_invoice_id)`,
  // Links by which others can pay into an account: one per account, of which only the token's hash is stored.
  `create table refill_link (
    account_id uuid primary key references account (id),
    token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
    created_at timestamptz(3) not null default now()
  )`,
]
