import type { Migration } from './migration'

/** Which version's text a function has: a server of an older one, that starts later, leaves it (functions.ts). */
export const functionVersion: Migration = {
  name: '0010-function-version',
  statements: [`alter table schema_function add column version integer not null default 0`],
}
