import type { Migration } from './migration'

/** Which credit an emptied one was merged into, and when: what was asked for before is led on (merge_into_credit). */
export const left: Migration = {
  name: '0009-left',
  statements: [`alter table account add column left_for_id uuid, add column left_at timestamptz(3)`],
}
