import 'server-only'
import { checkHash, checkReceivingCredential, checkReference } from '../domain/check-input'
import type { MergeInput, MergeResult } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'

const MERGE_INTO_CREDIT = 'select * from merge_into_credit($1, $2, $3, $4)'

type MergeRow =
  | { outcome: 'merged' | 'already_merged'; moved_nano: bigint; balance_nano: bigint }
  | { outcome: 'same_account' | 'key_only_spends' | 'unknown_credential' }

/** @throws LedgerError unavailable | invalid_input */
export async function merge({
  context,
  input,
}: {
  context: LedgerContext
  input: MergeInput
}): Promise<MergeResult> {
  checkHash(input.from.secretHash, 'the credit to merge')
  checkReceivingCredential(input.into)
  checkReference(input.reference)
  const [row] = await callFunction<MergeRow>(context.database, {
    sql: MERGE_INTO_CREDIT,
    parameters: [input.from.kind, input.from.secretHash, input.into.secretHash, input.reference],
  })
  if (!row) throw new LedgerError('unavailable', 'The database answered nothing.')
  if (row.outcome === 'merged' || row.outcome === 'already_merged') {
    return { outcome: row.outcome, movedNano: row.moved_nano, balanceNano: row.balance_nano }
  }
  return { outcome: row.outcome }
}
