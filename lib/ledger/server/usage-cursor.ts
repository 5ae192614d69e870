import 'server-only'
import { isUuid } from '../domain/check-input'
import { LedgerError } from '../domain/ledger-error'

/** The last record of a page: the next one holds what is older. Times are kept to the millisecond. */
export interface UsagePosition {
  createdAt: Date
  holdId: string
}

export function formatUsageCursor(position: UsagePosition): string {
  return `${position.createdAt.getTime()}.${position.holdId}`
}

/** @throws LedgerError invalid_input for a cursor that we did not make */
export function parseUsageCursor(cursor: string): UsagePosition {
  const [milliseconds = '', holdId = '', ...rest] = cursor.split('.')
  if (rest.length === 0 && /^\d{1,15}$/.test(milliseconds) && isUuid(holdId)) {
    return { createdAt: new Date(Number(milliseconds)), holdId }
  }
  throw new LedgerError('invalid_input', 'The cursor is not one of ours.')
}
