import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import type { Nano } from '@/lib/money/nano'
import type { Ledger, SettleResult, UsageDetail } from '../../domain/ledger'
import type { MeteringLimits } from '../../domain/metering-limits'
import { within } from './within'

/** What was charged in the end. */
export interface Settlement {
  chargedNano: Nano
  /** Null when the ledger did not answer in time; it is asked again in the background. */
  balanceNano: Nano | null
}

/**
 * Settles a hold for its cost, or releases it when there is none. Both are harmless to repeat, so a
 * ledger that is away is asked again; when it stays away, the sweeper ends the hold.
 *
 * @param onPending receives the attempts that go on after `settleWaitMs`
 */
export async function resolveExchange(input: {
  ledger: Ledger
  holdId: string
  costNano: Nano
  usage: UsageDetail
  limits: Pick<MeteringLimits, 'settleWaitMs' | 'settleRetryDelaysMs'>
  onPending: (work: Promise<unknown>) => void
}): Promise<Settlement> {
  const { ledger, holdId, costNano, usage, limits } = input
  const attempts = retry(limits.settleRetryDelaysMs, () =>
    costNano > 0n ? ledger.settle({ holdId, costNano, usage }) : ledger.release({ holdId, usage }),
  )
  const result = await within(limits.settleWaitMs, attempts)
  if (result === null) {
    input.onPending(attempts)
    return { chargedNano: costNano, balanceNano: null }
  }
  if (result.outcome === 'unknown_hold') return { chargedNano: 0n, balanceNano: null }
  return { chargedNano: result.chargedNano, balanceNano: result.balanceNano }
}

async function retry(
  delaysMs: readonly number[],
  attempt: () => Promise<SettleResult>,
): Promise<SettleResult | null> {
  for (const delayMs of [...delaysMs, null]) {
    try {
      return await attempt()
    } catch {
      if (delayMs === null) break
      await wait(delayMs, null, { ref: false })
    }
  }
  return null
}
