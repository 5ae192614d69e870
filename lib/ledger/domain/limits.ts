import type { Nano } from '@/lib/money/nano'

/**
 * Five cents: what the operator lends an account each day (UTC) so that a little money still buys something.
 * Most short calls cost far less than their bound, which reckons one token to a byte; who means to abuse it
 * has to pay in on a new account for every five cents.
 */
export const RISK_PER_ACCOUNT_DAY_NANO_MAX: Nano = 50_000_000n
/**
 * A dollar: the same where the balance does reach for the bound, and the payer was promised less. What was
 * risked gives way to what was really lost as soon as it is known, which for an ordinary question is nothing.
 */
export const PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX: Nano = 1_000_000_000n
/**
 * Ten dollars: what an account's calls of a day (UTC) may cost the operator beyond what was charged for them. What
 * fails costs its customer nothing, and is billed all the same where a host had begun. An ordinary question that
 * fails costs a cent or two, so that a host may be down for hundreds of them before anybody is kept from asking.
 */
export const LOSS_PER_ACCOUNT_DAY_NANO_MAX: Nano = 10_000_000_000n
/**
 * Nor more than ten times what was ever paid in: else many small accounts would do what one may not. Not less: a call
 * may hold all that somebody has, and one that was given up is reckoned to cost all that it held.
 */
export const LOSS_OF_PAID_IN_FACTOR_MAX = 10n

/**
 * For how many whole months before this one each call stays listed with its receipt, at the least: monthly
 * statements can be asked for as far back.
 */
export const LISTED_MONTH_COUNT = 24
