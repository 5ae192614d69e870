import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * Finished answers, sealed, for ten minutes (lib/chat/server/seal-replay.ts). The keys that open them
 * are in nobody's table. No foreign key to the account: with a payments host, it is in the host's books.
 */
export const replay: Migration = {
  name: '0006-replay',
  statements: [
    `create table replay (
      exchange_id uuid primary key,
      account_id uuid not null,
      resume_name text unique,
      sealed bytea not null,
      expires_at timestamptz(3) not null
    )`,
    `create index replay_expiry on replay (expires_at)`,
    ...protectTable('replay'),
  ],
}
