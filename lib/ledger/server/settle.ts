import 'server-only'
import { checkAmount } from '../domain/check-input'
import type { SettleInput, SettleResult } from '../domain/holds'
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
  const { absorbedNano = 0n } = input
  checkAmount(input.costNano, 'the cost')
  checkAmount(absorbedNano, 'the loss')
  return resolveHold(context, { ...input, absorbedNano, state: 'settled' })
}
