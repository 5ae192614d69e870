import 'server-only'
import type { CreditInput, ReverseResult } from '../domain/credits'
import { callFunction } from './ask-database'
import { moneyMoveRequest } from './credit'
import type { LedgerContext } from './ledger-context'

interface ReverseAnswer {
  outcome: ReverseResult['outcome']
  taken_nano: string
  debt_nano: string
  balance_nano: string
}

/** @throws LedgerError unavailable | unknown_account | invalid_input */
export async function reverse({
  context,
  input,
}: {
  context: LedgerContext
  input: CreditInput
}): Promise<ReverseResult> {
  const request = moneyMoveRequest(input, 'the reversal')
  const answer = await callFunction<ReverseAnswer>(context.database, 'reverse_credit', request)
  return {
    outcome: answer.outcome,
    takenNano: BigInt(answer.taken_nano),
    debtNano: BigInt(answer.debt_nano),
    balanceNano: BigInt(answer.balance_nano),
  }
}
