import { CREDIT_ACCOUNT } from './functions/credit-account'
import { KEY_AVAILABLE, KEY_PERIOD_START } from './functions/key-period-start'
import { PLACE_HOLDS } from './functions/place-holds'
import { RESOLVE_HOLDS } from './functions/resolve-holds'
import { REVERSE_CREDIT } from './functions/reverse-credit'
import type { Migration } from './migration'
import { protectFunction } from './protect-table'

/**
 * The verbs that move money are functions in the database, not statements sent to it: one round trip
 * each, several guarded steps, and plans that are kept although a pooler in transaction mode forbids
 * prepared statements. Sent as one statement with data-modifying CTEs the same work is planned anew each
 * time (bench/ledger.ts has the figures).
 */
export const ledgerFunctions: Migration = {
  name: '0002-ledger-functions',
  statements: [
    KEY_PERIOD_START,
    KEY_AVAILABLE,
    PLACE_HOLDS,
    RESOLVE_HOLDS,
    CREDIT_ACCOUNT,
    REVERSE_CREDIT,
    ...protectFunction('key_period_start'),
    ...protectFunction('key_available_nano'),
    ...protectFunction('place_holds'),
    ...protectFunction('resolve_holds'),
    ...protectFunction('credit_account'),
    ...protectFunction('reverse_credit'),
  ],
}
