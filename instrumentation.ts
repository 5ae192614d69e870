/**
 * Runs once when a server process starts, before its first request. What cannot work (a malformed
 * setting, a database that another process has open) ends the process with a sentence, rather than
 * every request with an error.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { startServices } = await import('@/lib/start-services')
  await startServices()
}
