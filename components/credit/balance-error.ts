/** The specification's sentences, in English; `use-balance.ts` translates them. */
export const CREDIT_RECORD_MISSING = 'Credit record could not be retrieved'

/** The server does not know the credit: it was damaged, or is from another site or database. */
export class UnknownCreditError extends Error {
  override readonly name = 'UnknownCreditError'

  constructor() {
    super(CREDIT_RECORD_MISSING)
  }
}

const BALANCE_FETCH_FAILED = 'Failed to fetch balance'

/** The thrown error's message, or a general sentence if it is not an Error. */
export function balanceErrorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : BALANCE_FETCH_FAILED
}
