import type { Instrumentation } from 'next'

/** Set by scripts/server.ts, whose API has opened the services, and closes them. */
const HAS_SERVICES_KEY = Symbol.for('tuppence.has-services')

/**
 * Runs once when a server process starts, before its first page. What cannot work (a malformed
 * setting, a database that does not answer or whose money is of the other kind) ends the process with a
 * sentence, rather than every request with an error.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  if (!(HAS_SERVICES_KEY in globalThis)) {
    const { startServices } = await import('@/lib/start-services')
    await startServices()
  }
  const { errorReports } = await import('@/lib/telemetry/server/error-reports')
  await errorReports()
}

/** What a page threw on the server; the API's errors are told by its own handlers. */
export const onRequestError: Instrumentation.onRequestError = async (...event) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { errorReports } = await import('@/lib/telemetry/server/error-reports')
  const reports = await errorReports()
  await reports?.reportRequestError(...event)
}
