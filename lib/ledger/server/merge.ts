import 'server-only'
import { checkMergedCredential, checkReference } from '../domain/check-input'
import type { MergeInput, MergeResult } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'

const MERGE_CREDIT = 'select * from merge_credit($1, $2, $3)'

type MergeRow =
  | { outcome: 'merged' | 'already_merged'; moved_nano: bigint; balance_nano: bigint }
  | { outcome: 'same_account' }
  | { outcome: 'unknown_credential' }

/** @throws LedgerError unavailable | invalid_input */
export async function merge({
  context,
  input,
}: {
  context: LedgerContext
  input: MergeInput
}): Promise<MergeResult> {
  checkMergedCredential(input.from, 'the credit to merge')
  checkMergedCredential(input.into, 'the credit to keep')
  checkReference(input.reference)
  const [row] = await callFunction<MergeRow>(context.database, {
    sql: MERGE_CREDIT,
    parameters: [input.from.secretHash, input.into.secretHash, input.reference],
  })
  if (!row) throw new LedgerError('unavailable', 'The database answered nothing.')
  if (row.outcome === 'same_account' || row.outcome === 'unknown_credential') return { outcome: row.outcome }
  return { outcome: row.outcome, movedNano: row.moved_nano, balanceNano: row.balance_nano }
}
