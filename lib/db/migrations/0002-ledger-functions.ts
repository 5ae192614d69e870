import { CREDIT_ACCOUNT } from './functions/credit-account'
import { KEY_AVAILABLE, KEY_PERIOD_START } from './functions/key-period-start'
import { PLACE_HOLD, PLACE_HOLDS } from './functions/place-hold'
import { RESOLVE_HOLD, RESOLVE_HOLDS } from './functions/resolve-hold'
import { REVERSE_CREDIT } from './functions/reverse-credit'
import type { Migration } from './migration'
import { protectFunction } from './protect-table'

/**
 * The verbs that move money are functions in the database, not statements sent to it: several guarded
 * steps in one round trip, whose plans are kept although a pooler in transaction mode forbids prepared
 * statements. The same work as one statement of data-modifying CTEs is planned anew each time.
 */
export const ledgerFunctions: Migration = {
  name: '0002-ledger-functions',
  statements: [
    KEY_PERIOD_START,
    KEY_AVAILABLE,
    PLACE_HOLD,
    PLACE_HOLDS,
    RESOLVE_HOLD,
    RESOLVE_HOLDS,
    CREDIT_ACCOUNT,
    REVERSE_CREDIT,
    ...[
      'key_period_start',
      'key_available_nano',
      'place_hold',
      'place_holds',
      'resolve_hold',
      'resolve_holds',
      'credit_account',
      'reverse_credit',
    ].flatMap(protectFunction),
  ],
}
