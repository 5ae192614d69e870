import 'server-only'
import { checkReference, checkTransferAmount, isUuid } from '../domain/check-input'
import type { CreditInput, CreditResult } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { SYSTEM_ACCOUNT_IDS } from './system-accounts'

const CREDIT_ACCOUNT = 'select * from credit_account($1, $2, $3, $4, $5)'

/** @throws LedgerError unavailable | unknown_account | invalid_input */
export async function credit({
  context,
  input,
}: {
  context: LedgerContext
  input: CreditInput
}): Promise<CreditResult> {
  checkTransferAmount(input.amountNano, 'the credit')
  checkReference(input.reference)
  if (!isUuid(input.accountId)) throw new LedgerError('unknown_account', 'The ledger has no such account.')
  const [row] = await callFunction<{ outcome: CreditResult['outcome']; balance_nano: bigint }>(
    context.database,
    {
      sql: CREDIT_ACCOUNT,
      parameters: [
        input.accountId,
        SYSTEM_ACCOUNT_IDS[input.source],
        input.amountNano,
        input.reference,
        JSON.stringify(input.memo),
      ],
    },
  )
  if (!row) throw new LedgerError('unavailable', 'The database answered nothing.')
  return { outcome: row.outcome, balanceNano: row.balance_nano }
}
