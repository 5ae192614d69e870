import { sharedError } from '@/lib/http/domain/shared-error'

/**
 * `unavailable`: the database or the host does not answer, or answers nonsense. `unknown_account`: money for an account
 * that does not exist. `too_many_keys`: of one account. `invalid_input`: an amount, an id or a cursor that our own code
 * must not send. Lost races are results, never errors.
 */
const LEDGER_ERROR_CODES = ['unavailable', 'unknown_account', 'too_many_keys', 'invalid_input'] as const

export type LedgerErrorCode = (typeof LEDGER_ERROR_CODES)[number]

export function isLedgerErrorCode(text: string): text is LedgerErrorCode {
  return LEDGER_ERROR_CODES.some(code => code === text)
}

export class LedgerError extends sharedError('LedgerError') {
  readonly code: LedgerErrorCode

  constructor(code: LedgerErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

export function unknownAccount(cause?: unknown): LedgerError {
  return new LedgerError('unknown_account', 'The ledger has no such account.', { cause })
}
