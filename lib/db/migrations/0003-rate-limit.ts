import type { Migration } from './migration'
import { protectTable } from './protect-table'

/** Columns and types are the library's (lib/http/rate-limits.ts); it never creates the table itself. */
export const rateLimit: Migration = {
  name: '0003-rate-limit',
  statements: [
    `create table rate_limit (
      key text primary key,
      points integer not null default 0,
      expire bigint
    )`,
    ...protectTable('rate_limit'),
  ],
}
