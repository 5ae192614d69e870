import 'server-only'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Exchanges } from './exchanges'

/** One batch is one short statement; what is left waits for the next turn. */
const BATCH_COUNT_MAX = 500

/**
 * Ends holds whose owner died and removes expired answers, every `intervalMs`. A fault is written once,
 * until a turn succeeds again.
 */
export function startSweeper(input: {
  ledger: Pick<Ledger, 'sweep'>
  exchanges: Pick<Exchanges, 'sweep'>
  intervalMs: number
  report?: (message: string) => void
}): { stop(): void; sweep(): Promise<void> } {
  const report = input.report ?? (message => process.stderr.write(`${message}\n`))
  let reported = false
  let running: Promise<void> | null = null

  async function turn(): Promise<void> {
    try {
      await input.ledger.sweep({ holdCountMax: BATCH_COUNT_MAX })
      await input.exchanges.sweep({ rowCountMax: BATCH_COUNT_MAX })
      reported = false
    } catch (error) {
      if (!reported) report(`the sweeper failed: ${error instanceof Error ? error.message : 'unknown'}`)
      reported = true
    }
  }

  function sweep(): Promise<void> {
    running ??= turn().finally(() => {
      running = null
    })
    return running
  }

  const timer = setInterval(sweep, input.intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer), sweep }
}
