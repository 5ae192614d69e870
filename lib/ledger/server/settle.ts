import 'server-only'
import { checkAmount } from '../domain/check-input'
import type { SettleInput, SettleResult } from '../domain/ledger'
import type { LedgerContext } from './ledger-context'
import { resolveHold } from './resolve-hold'

/**
 * Ends a hold at its cost, exactly once. A cost of zero charges nothing and leaves no transfer.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function settle({
  context,
  input,
}: {
  context: LedgerContext
  input: SettleInput
}): Promise<SettleResult> {
  checkAmount(input.costNano, 'the cost')
  const { holdId, costNano, usage } = input
  return resolveHold(context, { holdId, state: 'settled', costNano, usage })
}
