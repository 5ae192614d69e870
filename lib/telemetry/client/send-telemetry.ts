import type { TelemetryEvent } from '../domain/telemetry-body'
import { pageOfPath } from '../page-address'

const PATH = '/api/telemetry'
const VISIT_MAX = 2_147_483_647

/** The number of this visit: random, created when the page is opened, stored nowhere, and gone with the page. */
const visit = 1 + Math.floor(Math.random() * VISIT_MAX)
const startedAt = Math.floor(Date.now() / 1000)

/**
 * Sent as a beacon, which arrives even while the page is being left, and which nothing waits for. The address is
 * reduced to the kind of page: which conversation is open is not sent.
 */
export function sendTelemetry(events: readonly TelemetryEvent[]): void {
  if (events.length === 0) return
  const anonymous = events.map(event => ({ ...event, path: pageOfPath(event.path) }))
  const body = JSON.stringify({ visit, started_at: startedAt, events: anonymous })
  navigator.sendBeacon(PATH, new Blob([body], { type: 'application/json' }))
}
