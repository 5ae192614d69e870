import 'server-only'
import { checkReference, checkTransferAmount, isUuid } from '../domain/check-input'
import type { CreditInput, CreditResult } from '../domain/credits'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { SYSTEM_ACCOUNT_IDS } from './system-accounts'

interface CreditAnswer {
  outcome: CreditResult['outcome']
  balance_nano: string
}

/** @throws LedgerError unavailable | unknown_account | invalid_input */
export async function credit({
  context,
  input,
}: {
  context: LedgerContext
  input: CreditInput
}): Promise<CreditResult> {
  const request = moneyMoveRequest(input, 'the credit')
  const answer = await callFunction<CreditAnswer>(context.database, 'credit_account', request)
  return { outcome: answer.outcome, balanceNano: BigInt(answer.balance_nano) }
}

/** What credit and reverse ask the database. @throws LedgerError unknown_account | invalid_input */
export function moneyMoveRequest(input: CreditInput, name: string) {
  checkTransferAmount(input.amountNano, name)
  checkReference(input.reference)
  if (!isUuid(input.accountId)) throw new LedgerError('unknown_account', 'The ledger has no such account.')
  return {
    account_id: input.accountId,
    source_account_id: SYSTEM_ACCOUNT_IDS[input.source],
    amount_nano: input.amountNano.toString(),
    reference: input.reference,
    memo: input.memo,
  }
}
