import type { Migration } from './migration'

/** What whoever holds a key wants of the hosts that answer it, as lib/ledger/domain/keys.ts describes it. */
export const addKeyRouting: Migration = {
  name: '0003-key-routing',
  statements: [`alter table api_key add column routing jsonb check (jsonb_typeof(routing) = 'object')`],
}
