/** The specification's sentences, in English; `use-balance.ts` translates them. */
export const CREDIT_RECORD_MISSING = 'Credit record could not be retrieved'
const BALANCE_FETCH_FAILED = 'Failed to fetch balance'

/** The thrown error's message, or a general sentence if it is not an Error. */
export function balanceErrorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : BALANCE_FETCH_FAILED
}
