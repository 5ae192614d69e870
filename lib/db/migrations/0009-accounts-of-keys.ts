import { MERGE_INTO_CREDIT } from './functions/merge-into-credit'
import type { Migration } from './migration'
import { protectFunction } from './protect-table'

/**
 * Accounts that an earlier version made are held by a key alone: they have no credit_id until they are
 * merged into a credit that has one.
 */
export const accountsOfKeys: Migration = {
  name: '0009-accounts-of-keys',
  statements: [
    'alter table account drop constraint account_credit_id',
    `alter table account add constraint account_credit_id
      check (kind = 'credit' or credit_id_hash is null)`,
    'drop function merge_credit',
    MERGE_INTO_CREDIT,
    ...protectFunction('merge_into_credit'),
  ],
}
