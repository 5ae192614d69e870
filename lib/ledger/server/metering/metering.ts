import 'server-only'
import type { Ledger } from '../../domain/ledger'
import { METERING_LIMITS, type MeteringLimits } from '../../domain/metering-limits'
import { announceWork } from './announce-work'
import type { StopCause } from './exchange-stopped'
import type { ReplayStore } from './replay-store'
import { within } from './within'

/** What `meterCall` works with; one per process, because it owns the calls that run here. */
export interface Metering {
  readonly ledger: Ledger
  readonly replayStore: ReplayStore
  readonly limits: MeteringLimits
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Tells the host that work goes on behind the response, where hosts freeze a process without any. */
  readonly keepAlive: (work: Promise<unknown>) => void
  readonly isDraining: () => boolean
  /** Until it has finished, a call holds up the end of the process. */
  readonly claim: (call: RunningCall) => void
  /** For SIGTERM: takes no more calls, stops what takes too long, and resolves when none runs. */
  readonly drain: () => Promise<void>
}

export interface RunningCall {
  /** Never rejects; settles when the hold is resolved. */
  readonly finished: Promise<unknown>
  stop(cause: StopCause): void
}

export function createMetering(input: {
  ledger: Ledger
  replayStore: ReplayStore
  limits?: Partial<MeteringLimits>
  now?: () => number
  keepAlive?: (work: Promise<unknown>) => void
}): Metering {
  const limits = { ...METERING_LIMITS, ...input.limits }
  const running = new Set<RunningCall>()
  let draining = false
  return {
    ledger: input.ledger,
    replayStore: input.replayStore,
    limits,
    now: input.now ?? (() => performance.now()),
    keepAlive: work => announceWork(input.keepAlive, work),
    isDraining: () => draining,
    claim(call) {
      running.add(call)
      void call.finished.finally(() => running.delete(call))
    },
    async drain() {
      draining = true
      const finished = () => Promise.all([...running].map(call => call.finished))
      await within(limits.drainTimeoutMs, finished())
      for (const call of running) call.stop('shutdown')
      await finished()
    },
  }
}
