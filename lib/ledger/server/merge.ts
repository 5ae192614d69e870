import 'server-only'
import { checkHash, checkReceivingCredential, checkReference } from '../domain/check-input'
import type { MergeInput, MergeResult } from '../domain/credits'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'

type MergeAnswer =
  | { outcome: 'merged' | 'already_merged'; moved_nano: string; balance_nano: string }
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
  const answer = await callFunction<MergeAnswer>(context.database, 'merge_into_credit', {
    from_kind: input.from.kind,
    from_secret_hash: input.from.secretHash,
    into_credit_id_hash: input.into.secretHash,
    reference: input.reference,
  })
  if (answer.outcome !== 'merged' && answer.outcome !== 'already_merged') return { outcome: answer.outcome }
  return {
    outcome: answer.outcome,
    movedNano: BigInt(answer.moved_nano),
    balanceNano: BigInt(answer.balance_nano),
  }
}
