import { whenIdle } from '@/lib/local/when-idle'
import { keepEarlyErrors, takeEarlyErrors } from './early-errors'
import { ERROR_REPORTS_META } from './error-reports-meta'

/** The SDK waits for an idle moment, but not forever: a page that is never idle may be worth a report. */
const IDLE_TIMEOUT_MS = 4_000

/**
 * Runs before the page's own code. Once the page has been shown, the SDK is fetched and given what has happened until
 * then; if the operator has set no DSN, that is dropped, and nothing is fetched.
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
  // A failure to load the reports is not reported, because nothing could report it.
  whenIdle(() => void reportTo(dsn).catch(() => takeEarlyErrors()), IDLE_TIMEOUT_MS)
}

async function reportTo(dsn: string): Promise<void> {
  const { startBrowserReports } = await import('./report-errors')
  startBrowserReports(dsn, takeEarlyErrors())
}
