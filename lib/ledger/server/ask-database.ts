import 'server-only'
import type { Database } from '@/lib/db/database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import { LedgerError, unknownAccount } from '../domain/ledger-error'

/** PostgreSQL's `no_data_found`, which our functions raise for an account that is not there. */
const NO_DATA_FOUND = 'P0002'

/**
 * Runs one of the ledger's statements. Each is idempotent, by an id, a hash or a reference that the
 * caller brings, so each may be repeated when the connection is lost before its answer came.
 *
 * @throws LedgerError unavailable | unknown_account
 */
export async function askDatabase<Result>(idempotentStatement: () => Promise<Result>): Promise<Result> {
  try {
    return await retryLostConnection(idempotentStatement)
  } catch (error) {
    if (error instanceof LedgerError) throw error
    if ((error as NodeJS.ErrnoException).code === NO_DATA_FOUND) throw unknownAccount(error)
    // With the database's own words, since a log has no causes.
    const why = error instanceof Error ? error.message : 'unknown reason'
    throw new LedgerError('unavailable', `The ledger did not answer: ${why}`, { cause: error })
  }
}

/** Calls one of the ledger's functions in the database. @throws LedgerError unavailable | unknown_account */
export function callFunction<Answer>(
  database: Database,
  functionName: 'move_holds' | 'credit_account' | 'reverse_credit' | 'merge_into_credit',
  request: object,
): Promise<Answer> {
  return askDatabase(() => database.call<Answer>(functionName, request))
}
