import 'server-only'
import type { TelemetryBody } from '../domain/telemetry-body'
import { analyticsHit } from './analytics-hit'

/** The endpoint of the analytics tag. `GA_COLLECT_URL` replaces it with another that supports its protocol. */
const COLLECT_URL = 'https://www.google-analytics.com/g/collect'
/** Counting is not worth a longer wait. */
const TIMEOUT_MS = 3_000
/** If the service hangs, events are dropped rather than queued. */
const RUNNING_COUNT_MAX = 50

let runningCount = 0

export interface AnalyticsSettings {
  GA_MEASUREMENT_ID: string
  GA_COLLECT_URL?: string
}

/**
 * Forwards a page's events, one request each. Neither the visitor's address nor a cookie, a header or the browser's
 * name is included: the service only sees this server. Never throws, because counting must not do harm.
 */
export async function sendToAnalytics(input: {
  settings: AnalyticsSettings
  siteUrl: string
  body: TelemetryBody
}): Promise<void> {
  const { GA_MEASUREMENT_ID: measurementId, GA_COLLECT_URL: collectUrl = COLLECT_URL } = input.settings
  for (const event of input.body.events) {
    if (runningCount >= RUNNING_COUNT_MAX) return
    runningCount += 1
    try {
      const address = new URL(collectUrl)
      address.search = analyticsHit({
        measurementId,
        siteUrl: input.siteUrl,
        visit: input.body,
        event,
      }).toString()
      await fetch(address, {
        method: 'POST',
        redirect: 'error',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch {
      // Then the event is not counted.
    } finally {
      runningCount -= 1
    }
  }
}
