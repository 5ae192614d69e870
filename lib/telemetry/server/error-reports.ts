import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import { chooseKeepAlive } from '@/lib/http/keep-alive'

type ErrorReports = typeof import('./report-errors')

let loaded: Promise<ErrorReports> | null = null

/** This process's error reports, started at the first call; null without a DSN, in which case nothing is loaded. */
export function errorReports(): Promise<ErrorReports> | null {
  const settings = serverSettings()
  const { sentryDsn } = settings
  if (sentryDsn === null) return null
  loaded ??= import('./report-errors').then(async reports => {
    reports.startServerReports(sentryDsn, await chooseKeepAlive(settings))
    return reports
  })
  return loaded
}
