import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * What receipts are signed with (lib/ledger/server/receipts.ts). Public keys stay for good, so that old receipts
 * can be checked; at most one row has its private key, whichever process was first to make one.
 */
export const receiptKeys: Migration = {
  name: '0005-receipt-keys',
  statements: [
    `create table receipt_key (
      kid text primary key,
      public_key text not null,
      private_key text,
      created_at timestamptz(3) not null default now()
    )`,
    `create unique index receipt_key_current on receipt_key ((true)) where private_key is not null`,
    ...protectTable('receipt_key'),
  ],
}
