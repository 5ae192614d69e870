import type { Nano } from '@/lib/money/nano'

/**
 * Five cents: what the operator risks for an account each day (UTC) so that a small balance still buys something. Most
 * short calls cost far less than their bound, which counts one token per byte. To abuse it, one has to pay into a new
 * account for every five cents.
 */
export const RISK_PER_ACCOUNT_DAY_NANO_MAX: Nano = 50_000_000n
/**
 * A dollar: the same if the balance does cover the bound, and only the payer was promised less. Once the cost is known,
 * the real loss replaces the risk, which for an ordinary question is nothing.
 */
export const PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX: Nano = 1_000_000_000n
/**
 * Ten dollars: what the calls of an account may cost the operator in a day (UTC) beyond what was charged for them. A
 * call that fails costs its customer nothing, but a host that had begun may bill it. An ordinary question that fails
 * costs a cent or two, so that hundreds of them may fail before an account is refused.
 */
export const LOSS_PER_ACCOUNT_DAY_NANO_MAX: Nano = 10_000_000_000n
/**
 * And no more than ten times what was ever paid in, or else many small accounts could do together what one may not. It
 * is not lower since a single call may hold a whole balance, and one that was given up counts as costing all it held.
 */
export const LOSS_OF_PAID_IN_FACTOR_MAX = 10n

/**
 * For how many whole months before the current one every call stays listed, with its receipt: as far back as monthly
 * statements go.
 */
export const LISTED_MONTH_COUNT = 24
