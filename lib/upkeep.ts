import 'server-only'
import type { Exchanges } from './exchange/engine/exchanges'
import type { Ledger } from './ledger/domain/ledger'
import { log } from './observability/log'
import { metrics } from './observability/metrics'
import type { Payments } from './payments/domain/payments'

/** One run stays within the shortest time that hosts give a request; the rest waits for the next. */
const HOLD_COUNT_MAX = 1_000
const ROW_COUNT_MAX = 1_000
const INVOICE_COUNT_MAX = 100

interface Kept {
  ledger: Pick<Ledger, 'sweep'>
  exchanges: Pick<Exchanges, 'sweep'>
  payments: Pick<Payments, 'reconcile'>
}

/**
 * What falls due by itself: holds whose owner died are ended, expired answers removed, and payments credited
 * that no webhook told of. Each is done although another fails.
 *
 * @throws the first failure, once all have ended
 */
export async function runUpkeep({ ledger, exchanges, payments }: Kept) {
  const [swept, removed, reconciled] = await Promise.allSettled([
    ledger.sweep({ holdCountMax: HOLD_COUNT_MAX }),
    exchanges.sweep({ rowCountMax: ROW_COUNT_MAX }),
    payments.reconcile({ invoiceCountMax: INVOICE_COUNT_MAX }),
  ])
  if (swept.status === 'rejected') throw swept.reason
  metrics.holds.inc({ event: 'released' }, swept.value.releasedHoldIds.length)
  metrics.holds.inc({ event: 'settled' }, swept.value.settledHoldIds.length)
  if (removed.status === 'rejected') throw removed.reason
  if (reconciled.status === 'rejected') throw reconciled.reason
  return {
    ...reconciled.value,
    releasedHoldCount: swept.value.releasedHoldIds.length,
    settledHoldCount: swept.value.settledHoldIds.length,
  }
}

/**
 * Upkeep on a timer, for a server that runs by itself: at once, since what died with the process before this
 * one has waited long enough, and then every `intervalMs`. A run that takes longer delays the next. A failure
 * is reported once, until a run succeeds again. The timer keeps no process alive.
 */
export function startUpkeep(input: Kept & { intervalMs: number }): { stop(): Promise<void> } {
  let isStopped = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    try {
      await runUpkeep(input)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error('upkeep failed', { error })
      isFailing = true
    }
    if (!isStopped) timer = setTimeout(start, input.intervalMs).unref()
  }
  let running = run()
  const start = () => {
    running = run()
  }
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
