import 'server-only'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Payments, ReconcileResult } from '../domain/payments'

/** One run stays within the shortest time that hosts give a request; the rest waits for the next. */
const INVOICE_COUNT_MAX = 100
const HOLD_COUNT_MAX = 1_000

interface Parties {
  payments: Pick<Payments, 'reconcile'>
  ledger: Pick<Ledger, 'sweep'>
}

/** Credits what webhooks missed, and ends holds whose owner died. */
export async function reconcileOnce({
  payments,
  ledger,
}: Parties): Promise<ReconcileResult & { releasedHoldCount: number; settledHoldCount: number }> {
  const { releasedHoldIds, settledHoldIds } = await ledger.sweep({ holdCountMax: HOLD_COUNT_MAX })
  const result = await payments.reconcile({ invoiceCountMax: INVOICE_COUNT_MAX })
  return {
    ...result,
    releasedHoldCount: releasedHoldIds.length,
    settledHoldCount: settledHoldIds.length,
  }
}

/**
 * Reconciles on a timer, for a server that runs by itself. A run that takes longer than the interval
 * delays the next; a failed one is reported and tried again. The timer keeps no process alive.
 */
export function startReconciler(input: Parties & { intervalMs: number }): { stop: () => Promise<void> } {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    if (stopped) return
    timer = setTimeout(() => {
      running = run(input).then(schedule)
    }, input.intervalMs).unref()
  }
  schedule()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

async function run(parties: Parties): Promise<void> {
  try {
    await reconcileOnce(parties)
  } catch (error) {
    process.stderr.write(`reconcile: ${error instanceof Error ? error.name : 'unknown error'}\n`)
  }
}
