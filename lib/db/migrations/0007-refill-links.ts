import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * Links by which others pay into an account (lib/payments/server/refill-links.ts): one for each account,
 * of which only the hash of its token is kept.
 */
export const refillLinks: Migration = {
  name: '0007-refill-links',
  statements: [
    `create table refill_link (
      account_id uuid primary key references account (id),
      token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
      created_at timestamptz(3) not null default now()
    )`,
    ...protectTable('refill_link'),
  ],
}
