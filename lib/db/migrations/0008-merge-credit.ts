import { MERGE_CREDIT } from './functions/merge-credit'
import type { Migration } from './migration'
import { protectFunction } from './protect-table'

/** A person's two credits become one by a transfer of its own kind, between two people's accounts. */
export const mergeCredit: Migration = {
  name: '0008-merge-credit',
  statements: [
    'alter table transfer drop constraint transfer_kind_check',
    `alter table transfer add constraint transfer_kind_check
      check (kind in ('credit', 'reversal', 'charge', 'loss', 'merge'))`,
    MERGE_CREDIT,
    ...protectFunction('merge_credit'),
  ],
}
