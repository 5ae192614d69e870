import 'server-only'
import { checkPublicKey, checkSigningKeys } from './auth/server/setup-problems'
import { services } from './composition'
import { serverSettings } from './config/server-settings'
import { SettingsError } from './config/settings-error'
import { processRateLimits } from './http/rate-limits'
import { metrics } from './observability/metrics'
import { startUpkeep } from './upkeep'

/** How soon dead holds are released and late payments credited; each run is a few indexed queries. */
const UPKEEP_INTERVAL_MS = 30_000

/** Each of Vercel's functions has it, whatever the project's settings. */
const VERCEL_CONTEXT_KEY = Symbol.for('@vercel/request-context')

const SANDBOX_NOTE =
  'Sandbox: the money is not real. See "Settings" in README.md to accept payments and add models.\n'

/**
 * Opens everything and starts the timers of a self-hosted server. On Vercel nothing runs between requests: services
 * open at the first one, and the cron route does the work of the timers.
 * @returns a function that closes everything again
 */
export async function startServices(): Promise<() => Promise<void>> {
  try {
    const { supabase, onVercel } = serverSettings()
    // Work after a reply would be lost, and visitors could make up their address.
    if (!onVercel && VERCEL_CONTEXT_KEY in globalThis)
      throw new SettingsError(
        'VERCEL is missing: check "Automatically expose System Environment Variables" under Settings → Environment Variables of the project, and deploy again.',
      )
    // Not awaited, since they only log what they find.
    if (supabase) void Promise.all([checkSigningKeys(supabase), checkPublicKey(supabase)])
    if (onVercel) {
      // The middleware is a function of its own there, in which nothing else would ever open the services.
      processRateLimits().current = {
        take: async (...use) => (await services()).rateLimits.take(...use),
      }
      return async () => {}
    }
    const { ledger, payments, exchanges, settings, close } = await services()
    if (settings.sandbox.gateway) process.stdout.write(SANDBOX_NOTE)
    if (settings.metricsToken !== null) metrics.watchProcess()
    const upkeep = startUpkeep({
      ledger,
      exchanges,
      payments,
      intervalMs: UPKEEP_INTERVAL_MS,
      sweepsAtOnce: !settings.servesAsHostToken,
    })
    // Not awaited, since a wallet's relay may be slow, and polling finds the same payments.
    const watching = payments.watch()
    return async () => {
      // In parallel, since a gateway that hangs would delay the others for longer than a shutdown may take.
      const drained = exchanges.drain()
      await Promise.all([drained, upkeep.stop(), watching.then(watch => watch.stop())])
      await close()
    }
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : 'The server could not start.'}\n`)
    process.exit(1)
  }
}
