import 'server-only'
import { checkAmount } from '../domain/check-input'
import type { ReleaseInput, SettleResult } from '../domain/holds'
import type { LedgerContext } from './ledger-context'
import { resolveHold } from './resolve-hold'

/** Ends a hold at no cost to its account, exactly once; the exchange is listed at zero. @throws LedgerError */
export async function release({
  context,
  input,
}: {
  context: LedgerContext
  input: ReleaseInput
}): Promise<SettleResult> {
  const { holdId, usage, absorbedNano = 0n } = input
  checkAmount(absorbedNano, 'the loss')
  return resolveHold(context, { holdId, usage, absorbedNano, state: 'released', costNano: 0n })
}
