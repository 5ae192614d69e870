import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * What each payment in bitcoin is worth, fixed once (lib/payments/domain/arrivals.ts), and how much of an
 * invoice is credited without asking the operator. `in_time_nano` is what a bonus is given on.
 */
export const arrivals: Migration = {
  name: '0003-arrivals',
  statements: [
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
    ...protectTable('invoice_payment'),
    `alter table invoice
      add column in_time_nano bigint not null default 0,
      add column maximum_nano bigint not null default 0,
      add column approved_nano bigint not null default 0 check (approved_nano >= 0),
      add column approved_by text,
      add column approved_reason text,
      add column bonus_claimed_nano bigint not null default 0`,
    `update invoice set
      in_time_nano = claimed_nano,
      bonus_claimed_nano = bonus_nano,
      maximum_nano = greatest(claimed_nano,
        case method when 'btc-lightning' then 1000 when 'card' then 500 else 10000 end::bigint * 1000000000)`,
    `alter table invoice
      alter column maximum_nano drop default,
      add constraint invoice_within_limit check (
        claimed_nano <= maximum_nano + approved_nano and in_time_nano >= 0 and in_time_nano <= paid_nano
      ),
      add constraint invoice_bonus_order check (bonus_nano <= bonus_claimed_nano)`,
    `create index invoice_with_rest on invoice (created_at)
      where paid_nano > refund_seen_nano + maximum_nano + approved_nano`,
  ],
}
