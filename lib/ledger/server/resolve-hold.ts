import 'server-only'
import type { Nano } from '@/lib/money/nano'
import { isUuid } from '../domain/check-input'
import type { SettleResult } from '../domain/holds'
import type { UsageDetail } from '../domain/usage'
import type { LedgerContext } from './ledger-context'

export interface ResolveHoldInput {
  holdId: string
  state: 'settled' | 'released'
  costNano: Nano
  absorbedNano?: Nano
  usage: UsageDetail
}

/** What settle and release share. */
export async function resolveHold(context: LedgerContext, input: ResolveHoldInput): Promise<SettleResult> {
  if (!isUuid(input.holdId)) return { outcome: 'unknown_hold' }
  const resolved = await context.resolveHold({
    hold_id: input.holdId,
    state: input.state,
    cost_nano: input.costNano.toString(),
    absorbed_nano: (input.absorbedNano ?? 0n).toString(),
    usage: input.usage,
  })
  if (resolved.outcome === 'unknown_hold') return { outcome: 'unknown_hold' }
  const chargedNano = BigInt(resolved.charged_nano)
  const balanceNano = BigInt(resolved.balance_nano)
  return resolved.outcome === 'resolved'
    ? { outcome: 'resolved', chargedNano, lossNano: BigInt(resolved.loss_nano), balanceNano }
    : { outcome: 'already_resolved', state: resolved.state, chargedNano, balanceNano }
}
