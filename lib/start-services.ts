import 'server-only'
import { services } from './composition'
import { serverSettings } from './config/server'
import { startSweeper } from './exchange/engine/sweeper'
import { startReconciler } from './payments/server/reconciler'
import { errorReports } from './telemetry/server/error-reports'

/** Dead holds are returned, late payments seen, within this time; each run is a few indexed queries. */
const SWEEP_INTERVAL_MS = 30_000
const RECONCILE_INTERVAL_MS = 30_000

const SANDBOX_NOTE =
  'Sandbox: the money is not real. See "Settings" in README.md to accept payments and add models.\n'

/** How the owner of the socket (scripts/server.ts) is told of the start, and what to wait for at the end. */
const STARTED_KEY = Symbol.for('tuppence.started')
const { [STARTED_KEY]: tellStarted = () => {} } = globalThis as typeof globalThis & {
  [STARTED_KEY]?: (close: () => Promise<void>) => void
}

/**
 * Opens everything and starts the timers of a self-hosted server. On Vercel nothing runs between
 * requests: services open at the first one, and the cron route does the timers' work.
 */
export async function startServices(): Promise<void> {
  try {
    await errorReports()
    if (serverSettings().onVercel) return tellStarted(async () => {})
    const { ledger, payments, exchanges, settings, close } = await services()
    if (settings.sandbox.gateway) process.stdout.write(SANDBOX_NOTE)
    const sweeper = startSweeper({ ledger, exchanges, intervalMs: SWEEP_INTERVAL_MS })
    // What died with the process before this one has waited long enough.
    void sweeper.sweep()
    const reconciler = startReconciler({ ledger, payments, intervalMs: RECONCILE_INTERVAL_MS })
    // Not awaited: a wallet's relay may be slow to answer, and polling finds the same payments.
    const watching = payments.watch()
    tellStarted(async () => {
      sweeper.stop()
      await reconciler.stop()
      const watch = await watching
      watch.stop()
      await close()
    })
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : 'The server could not start.'}\n`)
    process.exit(1)
  }
}
