import type { Migration } from './migration'

/**
 * The credit that an emptied one was merged into, and when: payments requested before that are passed on
 * (merge_into_credit).
 */
export const left: Migration = {
  name: '0009-left',
  statements: [`alter table account add column left_for_id uuid, add column left_at timestamptz(3)`],
}
