import { keepEarlyErrors, takeEarlyErrors } from './early-errors'
import { ERROR_REPORTS_META } from './error-reports-meta'

/** The SDK waits for a quiet moment, but not for ever: a page that never rests has reasons to be reported. */
const IDLE_TIMEOUT_MS = 4_000

/**
 * Runs before the page's own code. Where the operator has set no DSN, nothing is fetched and nothing is
 * kept; otherwise the SDK is fetched once the page has been shown, and given what happened until then.
 */
export function startErrorReports(): void {
  keepEarlyErrors()
  if (document.readyState === 'complete') begin()
  else addEventListener('load', begin, { once: true })
}

function begin(): void {
  const dsn = document.querySelector<HTMLMetaElement>(`meta[name="${ERROR_REPORTS_META}"]`)?.content
  if (!dsn) {
    takeEarlyErrors()
    return
  }
  whenIdle(async () => {
    const { startBrowserReports } = await import('./report-errors')
    startBrowserReports(dsn, takeEarlyErrors())
  })
}

/** Safari has no requestIdleCallback. */
function whenIdle(task: () => Promise<void>): void {
  // Reports that cannot be loaded are not worth an error of their own, which nothing would report.
  const run = () => void task().catch(() => takeEarlyErrors())
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: IDLE_TIMEOUT_MS })
  else setTimeout(run, IDLE_TIMEOUT_MS)
}
