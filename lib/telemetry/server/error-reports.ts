import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'

type ErrorReports = typeof import('./report-errors')

let loaded: Promise<ErrorReports> | null = null

/** The reports of this process, started at the first call; null, and nothing loaded, without a DSN. */
export function errorReports(): Promise<ErrorReports> | null {
  const { sentryDsn } = serverSettings()
  if (sentryDsn === null) return null
  loaded ??= import('./report-errors').then(reports => {
    reports.startServerReports(sentryDsn)
    return reports
  })
  return loaded
}
