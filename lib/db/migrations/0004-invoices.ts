import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * Invoices and what was paid on them (lib/payments). The checks repeat the order in which totals grow:
 * seen, claimed, credited; a claim that is open is finished before the next one.
 */
export const invoices: Migration = {
  name: '0004-invoices',
  statements: [
    `create table invoice (
      id uuid primary key,
      account_id uuid not null references account (id),
      gateway text not null check (gateway in ('btcpay', 'stripe', 'nwc', 'sandbox')),
      gateway_invoice_id text not null,
      method text not null check (method in ('btc-lightning', 'btc', 'card')),
      requested_amount text not null,
      requested_currency text not null check (requested_currency in ('USD', 'SATS', 'BTC')),
      amount_nano bigint not null check (amount_nano > 0),
      bonus_fraction text not null default '0',
      state text not null default 'New' check (state in ('New', 'Processing', 'Settled', 'Expired', 'Invalid')),
      paid_late boolean not null default false,
      paid_nano bigint not null default 0,
      claimed_nano bigint not null default 0,
      credited_nano bigint not null default 0,
      bonus_nano bigint not null default 0 check (bonus_nano >= 0),
      refund_seen_nano bigint not null default 0,
      refund_claimed_nano bigint not null default 0,
      refunded_nano bigint not null default 0,
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
      constraint invoice_refund_order check (
        refunded_nano >= 0 and refunded_nano <= refund_claimed_nano
        and refund_claimed_nano <= refund_seen_nano and refund_claimed_nano <= credited_nano
      )
    ) with (fillfactor = 80)`,
    `create index invoice_account on invoice (account_id, created_at desc)`,
    `create index invoice_due on invoice (next_check_at) where next_check_at is not null`,
    `create table invoice_dispute (
      gateway text not null,
      dispute_id text not null,
      invoice_id uuid not null references invoice (id),
      amount_nano bigint not null check (amount_nano >= 0),
      taken_nano bigint check (taken_nano >= 0 and taken_nano <= amount_nano),
      returned boolean not null default false,
      closed boolean not null default false,
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
    ...['invoice', 'invoice_dispute', 'sandbox_payment'].flatMap(protectTable),
  ],
}
