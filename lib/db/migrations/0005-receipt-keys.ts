import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * The keys that sign receipts (lib/ledger/server/receipts.ts). Public keys are kept forever, so that old receipts can
 * be verified; at most one row has its private key, created by whichever process was first.
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
