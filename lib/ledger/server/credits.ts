import 'server-only'
import { SYSTEM_ACCOUNT_IDS } from '@/lib/db/system-accounts'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import { isUuid } from '@/lib/http/domain/uuid'
import {
  checkHash,
  checkReceivingCredential,
  checkReference,
  checkTransferAmount,
} from '../domain/check-input'
import type {
  CREDIT_VERBS,
  CreditInput,
  CreditResult,
  MergeInput,
  MergeResult,
  MoneyMove,
  ReverseResult,
} from '../domain/credits'
import { unknownAccount } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'

interface CreditAnswer {
  outcome: CreditResult['outcome']
  balance_nano: string
}

export function creditVerbs(context: LedgerContext): Verbs<typeof CREDIT_VERBS> {
  return {
    credit: input => credit(context, input),
    reverse: input => reverse(context, input),
    merge: input => merge(context, input),
  }
}

/** @throws LedgerError unavailable | unknown_account | invalid_input */
async function credit(context: LedgerContext, input: CreditInput): Promise<CreditResult> {
  const request = { ...moneyMoveRequest(input, 'the credit'), asked_at: input.askedAt?.toISOString() }
  const answer = await callFunction<CreditAnswer>(context.database, 'credit_account', request)
  return { outcome: answer.outcome, balanceNano: BigInt(answer.balance_nano) }
}

/** The request to the database, for credit and reverse. @throws LedgerError unknown_account | invalid_input */
export function moneyMoveRequest(input: MoneyMove, name: string) {
  checkTransferAmount(input.amountNano, name)
  checkReference(input.reference)
  if (!isUuid(input.accountId)) throw unknownAccount()
  return {
    account_id: input.accountId,
    source_account_id: SYSTEM_ACCOUNT_IDS[input.source],
    amount_nano: input.amountNano.toString(),
    reference: input.reference,
    memo: input.memo,
  }
}

interface ReverseAnswer {
  outcome: ReverseResult['outcome']
  taken_nano: string
  debt_nano: string
  balance_nano: string
}

/** @throws LedgerError unavailable | unknown_account | invalid_input */
async function reverse(context: LedgerContext, input: MoneyMove): Promise<ReverseResult> {
  const request = moneyMoveRequest(input, 'the reversal')
  const answer = await callFunction<ReverseAnswer>(context.database, 'reverse_credit', request)
  return {
    outcome: answer.outcome,
    takenNano: BigInt(answer.taken_nano),
    debtNano: BigInt(answer.debt_nano),
    balanceNano: BigInt(answer.balance_nano),
  }
}

type MergeAnswer =
  | { outcome: 'merged' | 'already_merged'; moved_nano: string; balance_nano: string; is_closed: boolean }
  | { outcome: 'same_account' | 'key_only_spends' | 'unknown_credential' }

/** @throws LedgerError unavailable | invalid_input */
async function merge(context: LedgerContext, input: MergeInput): Promise<MergeResult> {
  checkHash(input.from.secretHash, 'the credit to merge')
  checkReceivingCredential(input.into)
  checkReference(input.reference)
  const answer = await callFunction<MergeAnswer>(context.database, 'merge_into_credit', {
    from_kind: input.from.kind,
    from_secret_hash: input.from.secretHash,
    into_credit_id_hash: input.into.secretHash,
    reference: input.reference,
    closes: input.closes,
  })
  if (answer.outcome !== 'merged' && answer.outcome !== 'already_merged') return { outcome: answer.outcome }
  return {
    outcome: answer.outcome,
    movedNano: BigInt(answer.moved_nano),
    balanceNano: BigInt(answer.balance_nano),
    ...(input.closes && { isClosed: answer.is_closed }),
  }
}
