import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'

type ErrorReports = typeof import('./report-errors')

let loaded: Promise<ErrorReports> | null = null

/** This process's error reports, started at the first call; null without a DSN, in which case nothing is loaded. */
export function errorReports(): Promise<ErrorReports> | null {
  const { sentryDsn } = serverSettings()
  if (sentryDsn === null) return null
  loaded ??= import('./report-errors').then(reports => {
    reports.startServerReports(sentryDsn)
    return reports
  })
  return loaded
}
