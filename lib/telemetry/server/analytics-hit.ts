import type { TelemetryBody, TelemetryEvent } from '../domain/telemetry-body'
import { rateVital } from '../domain/web-vitals'
import { pageOfPath } from '../page-address'

interface HitInput {
  measurementId: string
  /** Without a trailing slash; the page's public address. */
  siteUrl: string
  visit: Pick<TelemetryBody, 'visit' | 'started_at'>
  event: TelemetryEvent
}

/**
 * One event in the parameters of the analytics tag (`/g/collect`, protocol version 2), which needs no secret besides
 * the measurement id. The client id that the protocol requires is the visit's number: it distinguishes visits, but not
 * people.
 */
export function analyticsHit({ measurementId, siteUrl, visit, event }: HitInput): URLSearchParams {
  const hit = new URLSearchParams({
    v: '2',
    tid: measurementId,
    cid: `${visit.visit}.${visit.started_at}`,
    sid: String(visit.started_at),
    // No advertising: neither stored nor personalised.
    gcs: 'G101',
    npa: '1',
    dl: `${siteUrl}${pageOfPath(event.path)}`,
    en: event.type === 'page_view' ? 'page_view' : 'web_vitals',
  })
  if (event.type === 'page_view') {
    hit.set('_s', String(event.count))
    // The first page of a visit starts a session.
    if (event.count === 1) hit.set('_ss', '1')
  } else {
    hit.set('ep.metric_name', event.name)
    hit.set('ep.metric_rating', rateVital(event.name, event.value))
    hit.set('epn.metric_value', String(event.value))
  }
  return hit
}
