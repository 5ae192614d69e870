import type { Migration } from './migration'

/** What a refill link is for, in the words of whoever made it. */
export const refillLinkName: Migration = {
  name: '0002-refill-link-name',
  statements: [`alter table refill_link add column name text check (length(name) between 1 and 80)`],
}
