/** The specification's sentences, in English; use-balance says them in the person’s language. */
export const CREDIT_RECORD_MISSING = 'Credit record could not be retrieved'
const BALANCE_FETCH_FAILED = 'Failed to fetch balance'

/** The thrown message, or a general sentence when what was thrown is not an Error. */
export function balanceErrorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : BALANCE_FETCH_FAILED
}
