import { LazyPageTelemetry } from '@/components/telemetry/lazy-page-telemetry'
import { LazyVercelInsights } from '@/components/telemetry/lazy-vercel-insights'
import { serverSettings } from '@/lib/config/server'
import { ERROR_REPORTS_META } from '@/lib/telemetry/client/error-reports-meta'

/** Tells the browser what the operator has configured; nothing at all where that is nothing. */
export function Telemetry() {
  const { sentryDsn, analytics, onVercel } = serverSettings()
  return (
    <>
      {sentryDsn && <meta name={ERROR_REPORTS_META} content={sentryDsn} />}
      {analytics && <LazyPageTelemetry />}
      {onVercel && <LazyVercelInsights />}
    </>
  )
}
