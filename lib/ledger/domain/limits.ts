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
 * For how many whole months before this one each call stays listed with its receipt, at the least: monthly
 * statements can be asked for as far back.
 */
export const LISTED_MONTH_COUNT = 24
