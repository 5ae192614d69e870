import type { Migration } from './migration'

/**
 * The version that a function's text is from: a server of an older version that starts later leaves it alone
 * (functions.ts).
 */
export const functionVersion: Migration = {
  name: '0010-function-version',
  statements: [`alter table schema_function add column version integer not null default 0`],
}
