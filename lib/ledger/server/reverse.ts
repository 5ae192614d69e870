import 'server-only'
import { checkReference, checkTransferAmount, isUuid } from '../domain/check-input'
import type { ReverseInput, ReverseResult } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { SYSTEM_ACCOUNT_IDS } from './system-accounts'

const REVERSE_CREDIT = 'select * from reverse_credit($1, $2, $3, $4, $5)'

interface ReverseRow {
  outcome: ReverseResult['outcome']
  taken_nano: bigint
  loss_nano: bigint
  balance_nano: bigint
}

/** @throws LedgerError unavailable | unknown_account | invalid_input */
export async function reverse({
  context,
  input,
}: {
  context: LedgerContext
  input: ReverseInput
}): Promise<ReverseResult> {
  checkTransferAmount(input.amountNano, 'the reversal')
  checkReference(input.reference)
  if (!isUuid(input.accountId)) throw new LedgerError('unknown_account', 'The ledger has no such account.')
  const [row] = await callFunction<ReverseRow>(context.database, {
    sql: REVERSE_CREDIT,
    parameters: [
      input.accountId,
      SYSTEM_ACCOUNT_IDS[input.source],
      input.amountNano,
      input.reference,
      JSON.stringify(input.memo),
    ],
  })
  if (!row) throw new LedgerError('unavailable', 'The database answered nothing.')
  return {
    outcome: row.outcome,
    takenNano: row.taken_nano,
    lossNano: row.loss_nano,
    balanceNano: row.balance_nano,
  }
}
