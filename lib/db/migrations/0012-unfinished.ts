import type { Migration } from './migration'

/** Which migrations still have to run what comes `afterwards`: the process may end between that and the commit. */
export const unfinished: Migration = {
  name: '0012-unfinished',
  statements: [`alter table schema_migration add column is_unfinished boolean not null default false`],
}
