import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * Which credit a signed-in person keeps with the account (lib/auth/README.md). The credit_id is sealed
 * with the operator's key; its hash is left out on purpose, so that the table alone does not tell whose
 * money is whose.
 */
export const accountLinks: Migration = {
  name: '0005-account-links',
  statements: [
    `create table account_link (
      user_id uuid primary key,
      sealed_credit_id text not null check (length(sealed_credit_id) between 40 and 256),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    )`,
    ...protectTable('account_link'),
  ],
}
