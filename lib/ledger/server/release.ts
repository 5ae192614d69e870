import 'server-only'
import type { SettleResult, UsageDetail } from '../domain/ledger'
import type { LedgerContext } from './ledger-context'
import { resolveHold } from './resolve-hold'

/** Ends a hold at no cost, exactly once; the exchange is listed at zero. @throws LedgerError unavailable */
export async function release({
  context,
  input,
}: {
  context: LedgerContext
  input: { holdId: string; usage: UsageDetail }
}): Promise<SettleResult> {
  return resolveHold(context, { ...input, state: 'released', costNano: 0n })
}
