import type { Migration } from './migration'

/** A refill link's purpose, in its creator's words. */
export const refillLinkName: Migration = {
  name: '0002-refill-link-name',
  statements: [`alter table refill_link add column name text check (length(name) between 1 and 80)`],
}
