import type { Migration } from './migration'
import { protectTable } from './protect'

/** What each refund took of its invoice, where a gateway tells them one by one; fixed once. */
export const refunds: Migration = {
  name: '0005-refunds',
  statements: [
    `create table invoice_refund (
      invoice_id uuid not null references invoice (id),
      refund_id text not null,
      bitcoin text not null,
      worth_nano bigint not null check (worth_nano >= 0),
      primary key (invoice_id, refund_id)
    )`,
    ...protectTable('invoice_refund'),
  ],
}
