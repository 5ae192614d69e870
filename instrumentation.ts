import type { Instrumentation } from 'next'

/** Set by scripts/server.ts, whose API has started the services and will close them. */
const HAS_SERVICES_KEY = Symbol.for('tuppence.has-services')

/**
 * Runs once when a server process starts, before its first page. If something cannot work (a malformed setting, an
 * unreachable database, one with the other kind of money), the process ends with a sentence, rather than failing every
 * request.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  // In development, whole errors are wanted.
  if (process.env.NODE_ENV === 'production') {
    const { sendConsoleToLog } = await import('@/lib/observability/console-to-log')
    sendConsoleToLog()
  }
  if (!(HAS_SERVICES_KEY in globalThis)) {
    const { startServices } = await import('@/lib/start-services')
    await startServices()
  }
  const { errorReports } = await import('@/lib/telemetry/server/error-reports')
  await errorReports()
}

/** Reports errors that pages throw on the server; the API's own handlers report theirs. */
export const onRequestError: Instrumentation.onRequestError = async (...event) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { errorReports } = await import('@/lib/telemetry/server/error-reports')
  const reports = await errorReports()
  await reports?.reportRequestError(...event)
}
