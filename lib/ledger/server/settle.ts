import 'server-only'
import type { Database } from '@/lib/db/database'
import { checkAmount } from '../domain/check-input'
import type { SettleInput, SettleResult } from '../domain/ledger'
import { resolveHold } from './resolve-hold'

/**
 * Ends a hold at its cost, exactly once. A cost of zero charges nothing and leaves no transfer.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export function settle({
  database,
  input,
}: {
  database: Database
  input: SettleInput
}): Promise<SettleResult> {
  checkAmount(input.costNano, 'the cost')
  const { holdId, costNano, usage } = input
  return resolveHold(database, { holdId, state: 'settled', costNano, usage, onlyExpired: false })
}
