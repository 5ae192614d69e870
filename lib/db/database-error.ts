/** Why a database cannot be opened; the message is for the operator who reads it at the start. */
export type DatabaseErrorCode =
  | 'unreachable'
  | 'read_only'
  | 'newer_schema'
  | 'older_schema'
  | 'other_database'
  | 'earlier_database'
  | 'no_programs'
  | 'embedded_failed'

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}
