import type { Migration } from './migration'

/** The owner's routing preferences for a key, as described in lib/ledger/domain/keys.ts. */
export const addKeyRouting: Migration = {
  name: '0003-key-routing',
  statements: [`alter table api_key add column routing jsonb check (jsonb_typeof(routing) = 'object')`],
}
