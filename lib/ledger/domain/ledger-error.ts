/**
 * Why the ledger could not be asked: `unavailable` (the database or the host does not answer, or answers
 * nonsense), `unknown_account` (money for an account that is not there), `invalid_input` (an amount, an
 * id or a cursor that no caller of ours may send). Lost races are results, never errors.
 */
export type LedgerErrorCode = 'unavailable' | 'unknown_account' | 'invalid_input'

export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly code: LedgerErrorCode

  constructor(code: LedgerErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}
