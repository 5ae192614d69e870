import 'server-only'
import { checkSigningKeys } from './auth/server/setup-problems'
import { services } from './composition'
import { serverSettings } from './config/server'
import { metrics } from './observability/metrics'
import { errorReports } from './telemetry/server/error-reports'
import { startUpkeep } from './upkeep'

/** Dead holds are returned, late payments seen, within this time; each run is a few indexed queries. */
const UPKEEP_INTERVAL_MS = 30_000

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
    const { supabase } = serverSettings()
    // Not awaited: it only says what it finds.
    if (supabase) void checkSigningKeys(supabase)
    if (serverSettings().onVercel) return tellStarted(async () => {})
    const { ledger, payments, exchanges, settings, close } = await services()
    if (settings.sandbox.gateway) process.stdout.write(SANDBOX_NOTE)
    if (settings.metricsToken !== null) metrics.watchProcess()
    const upkeep = startUpkeep({ ledger, exchanges, payments, intervalMs: UPKEEP_INTERVAL_MS })
    // Not awaited: a wallet's relay may be slow to answer, and polling finds the same payments.
    const watching = payments.watch()
    tellStarted(async () => {
      await upkeep.stop()
      const watch = await watching
      watch.stop()
      await close()
    })
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : 'The server could not start.'}\n`)
    process.exit(1)
  }
}
