import type { TelemetryEvent } from '../domain/telemetry-body'
import { pageOfPath } from '../page-address'

const PATH = '/api/telemetry'
const VISIT_MAX = 2_147_483_647

/** This visit: drawn when the page is opened, kept nowhere, gone with it. */
const visit = 1 + Math.floor(Math.random() * VISIT_MAX)
const startedAt = Math.floor(Date.now() / 1000)

/**
 * A beacon arrives even when the page is just being left, and nothing waits for it. Of an address it tells
 * which page it is: which conversation is open stays here.
 */
export function sendTelemetry(events: readonly TelemetryEvent[]): void {
  if (events.length === 0) return
  const told = events.map(event => ({ ...event, path: pageOfPath(event.path) }))
  const body = JSON.stringify({ visit, started_at: startedAt, events: told })
  navigator.sendBeacon(PATH, new Blob([body], { type: 'application/json' }))
}
