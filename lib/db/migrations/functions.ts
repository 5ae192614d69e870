import { BIND_PAYMENT, PAYMENT_IS_BOUND } from './functions/bind-payment'
import { COLLECT_DEBTS, LOCK_MERGED, MERGED_WITH } from './functions/collect-debts'
import {
  CREDIT_ACCOUNT,
  REFUSE_TRANSFER_CHANGE,
  REVERSE_CREDIT,
  TRANSFER_APPEND_ONLY,
} from './functions/credits'
import { END_HOLD } from './functions/end-hold'
import { CLOSE_CREDIT, CLOSED_FOR, CLOSED_HASH, LEADS_TO } from './functions/leaving'
import { MERGE_INTO_CREDIT, MOVE_MERGED } from './functions/merge-credit'
import { MOVE_HOLDS } from './functions/move-holds'
import { NAMES } from './functions/names'
import {
  KEEP_USAGE_MONTH,
  PRUNE_ACCOUNT,
  USAGE_MONTH_ONLY_GROWS,
  USAGE_MONTH_STAYS,
} from './functions/prune-account'
import { REMOVE_UNPAID_ACCOUNTS } from './functions/remove-unpaid'
import { KEY_AVAILABLE, KEY_PERIOD_START, TAKE_HOLD } from './functions/take-hold'
import { protectFunction } from './protect'

/**
 * The verbs that move money are functions in the database, rather than statements sent to it: several guarded steps in
 * one round trip, whose plans are kept although a pooler in transaction mode forbids prepared statements. A single
 * statement of data-modifying CTEs for the same work would be planned anew each time.
 *
 * They are not migrations: each is applied again whenever its text has changed, so that a change reaches an existing
 * database. While servers of two versions run side by side, both call the newer text, whichever starts last. `create or
 * replace` cannot change parameters or results: a function that needs others gets another name.
 */
export interface DatabaseFunction {
  readonly name: string
  readonly statements: readonly string[]
}

/**
 * Incremented with each released change of a text: if a newer one has been applied, an older server leaves it alone.
 */
export const FUNCTIONS_VERSION = 6

/** In the order in which they call each other. */
export const FUNCTIONS: readonly DatabaseFunction[] = [
  databaseFunction('refuse_transfer_change', REFUSE_TRANSFER_CHANGE, TRANSFER_APPEND_ONLY),
  databaseFunction('key_period_start', KEY_PERIOD_START),
  databaseFunction('key_available_nano', KEY_AVAILABLE),
  databaseFunction('merged_with', MERGED_WITH),
  databaseFunction('lock_merged', LOCK_MERGED),
  databaseFunction('collect_debts', COLLECT_DEBTS),
  databaseFunction('leads_to', LEADS_TO),
  databaseFunction('closed_hash', CLOSED_HASH),
  databaseFunction('closed_for', CLOSED_FOR),
  databaseFunction('close_credit', CLOSE_CREDIT),
  databaseFunction('move_merged', MOVE_MERGED),
  databaseFunction('take_hold', TAKE_HOLD),
  databaseFunction('end_hold', END_HOLD),
  databaseFunction('move_holds', MOVE_HOLDS),
  databaseFunction('credit_account', CREDIT_ACCOUNT),
  databaseFunction('reverse_credit', REVERSE_CREDIT),
  databaseFunction('merge_into_credit', MERGE_INTO_CREDIT),
  databaseFunction('remove_unpaid_accounts', REMOVE_UNPAID_ACCOUNTS),
  databaseFunction('bind_payment', BIND_PAYMENT, PAYMENT_IS_BOUND),
  databaseFunction('keep_usage_month', KEEP_USAGE_MONTH, USAGE_MONTH_ONLY_GROWS, USAGE_MONTH_STAYS),
  databaseFunction('prune_account', PRUNE_ACCOUNT),
  ...NAMES.map(({ name, text }) => databaseFunction(name, text)),
]

function databaseFunction(name: string, ...statements: readonly string[]): DatabaseFunction {
  return { name, statements: [...statements, ...protectFunction(name)] }
}
