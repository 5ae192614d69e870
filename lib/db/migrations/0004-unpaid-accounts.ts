import type { Migration } from './migration'

/** Marks accounts that were created for a payment that may never come; see remove_unpaid_accounts. */
export const unpaidAccounts: Migration = {
  name: '0004-unpaid-accounts',
  statements: [
    `alter table account add column remove_unpaid_at timestamptz(3)`,
    `create index account_unpaid on account (remove_unpaid_at) where remove_unpaid_at is not null`,
  ],
}
