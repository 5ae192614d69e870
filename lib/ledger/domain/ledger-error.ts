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

/**
 * From the process-wide registry, so that a route's bundle recognises an error of the services' bundle; see ApiError.
 */
const BRAND: unique symbol = Symbol.for('tuppence.LedgerError')

export class LedgerError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is LedgerError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  readonly [BRAND] = true
  override readonly name = 'LedgerError'
  readonly code: LedgerErrorCode

  constructor(code: LedgerErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

export function unknownAccount(cause?: unknown): LedgerError {
  return new LedgerError('unknown_account', 'The ledger has no such account.', { cause })
}
