import 'server-only'
import type { Exchanges } from './exchange/engine/exchanges'
import { isLedgerOutage } from './http/handle-api'
import { NOTHING_SWEPT } from './ledger/domain/holds'
import type { Ledger } from './ledger/domain/ledger'
import { log } from './observability/log'
import { metrics } from './observability/metrics'
import type { Payments } from './payments/domain/payments'

/** Keeps one run within the shortest time that platforms allow a request; the rest waits for the next run. */
const HOLD_COUNT_MAX = 1_000
/** Rows are removed by one statement, and some plans of Vercel allow one run a day. */
const ROW_COUNT_MAX = 20_000
const INVOICE_COUNT_MAX = 1_000

/**
 * Answers outlive an outage of the database, or of their payments host, but their holds may expire meanwhile. Those that
 * end during it are settled within 13 seconds after it, and the others' holds are renewed within 40 (exchange-limits.ts).
 * Swept before that, holds would be given back: what still runs would be cut, and nobody would pay for what was delivered.
 * The last run that noticed the outage may have been a minute before its end.
 */
const SWEEP_DELAY_MS = 105_000
/** A run that is so late shows that the process stood still, or the clock was set: as an outage, for the holds. */
const LATE_MS = 30_000

interface Kept {
  ledger: Pick<Ledger, 'sweep'>
  exchanges: Pick<Exchanges, 'sweep'>
  payments: Pick<Payments, 'reconcile'>
}

/**
 * Periodic work: ends holds whose owner died, removes expired answers, and credits payments whose webhook was lost.
 * Each part runs even if another fails.
 *
 * @throws the first failure, once all parts have ended
 */
export async function runUpkeep(kept: Kept) {
  return resultOf(await runParts(kept))
}

type Parts = Awaited<ReturnType<typeof runParts>>

function runParts({ ledger, exchanges, payments }: Kept) {
  return Promise.allSettled([
    ledger.sweep({ holdCountMax: HOLD_COUNT_MAX }),
    exchanges.sweep({ rowCountMax: ROW_COUNT_MAX }),
    payments.reconcile({ invoiceCountMax: INVOICE_COUNT_MAX }),
  ])
}

function resultOf([swept, removed, reconciled]: Parts) {
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
 * Of an outage every part fails, but for the holds if they are not swept. Where only one of the others fails, such as by
 * a statement that takes too long each time, holds would wait for ever.
 */
function showOutage([swept, ...others]: Parts): boolean {
  const isAway = (part: Parts[number]) => part.status === 'rejected' && isLedgerOutage(part.reason)
  return isAway(swept) || others.every(isAway)
}

/**
 * Upkeep on a timer, for a self-hosted server: once at the start, for what the previous process left behind, and then
 * every `intervalMs`. A run that takes longer delays the next one. A failure is reported once, until a run succeeds
 * again. The timer does not keep the process alive.
 *
 * @param sweepsAtOnce false if the answers of other processes may have outlived an outage of this one
 */
export function startUpkeep(input: Kept & { intervalMs: number; sweepsAtOnce: boolean }): {
  stop(): Promise<void>
} {
  let isStopped = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let dueAtMs = Date.now()
  let sweepsFromMs = performance.now() + (input.sweepsAtOnce ? 0 : SWEEP_DELAY_MS)
  const sweepLater = () => {
    sweepsFromMs = performance.now() + SWEEP_DELAY_MS
  }
  const ledger: Kept['ledger'] = {
    sweep: async bounds => (performance.now() < sweepsFromMs ? NOTHING_SWEPT : input.ledger.sweep(bounds)),
  }
  const run = async () => {
    if (Date.now() - dueAtMs > LATE_MS) sweepLater()
    const parts = await runParts({ ...input, ledger })
    if (showOutage(parts)) sweepLater()
    try {
      resultOf(parts)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error('upkeep failed', { error })
      isFailing = true
    }
    dueAtMs = Date.now() + input.intervalMs
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
