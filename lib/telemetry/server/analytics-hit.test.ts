import { expect, test } from '@jest/globals'
import { telemetryBody } from '../domain/telemetry-body'
import { analyticsHit } from './analytics-hit'

const common = {
  measurementId: 'G-TEST',
  siteUrl: 'https://tuppence.test',
  visit: { visit: 7, started_at: 1_795_000_000 },
}

test('a page view has the page with its language, and the visit', () => {
  const hit = analyticsHit({ ...common, event: { type: 'page_view', path: '/de/pricing?x=1', count: 1 } })
  expect(Object.fromEntries(hit)).toEqual({
    v: '2',
    tid: 'G-TEST',
    cid: '7.1795000000',
    sid: '1795000000',
    gcs: 'G101',
    npa: '1',
    dl: 'https://tuppence.test/de/pricing',
    en: 'page_view',
    _s: '1',
    _ss: '1',
  })
})

test('a later page of a visit starts no session', () => {
  const hit = analyticsHit({ ...common, event: { type: 'page_view', path: '/', count: 2 } })
  expect(hit.has('_ss')).toBe(false)
})

test('a web vital has its rating', () => {
  const hit = analyticsHit({ ...common, event: { type: 'vital', path: '/', name: 'LCP', value: 2_600 } })
  expect(Object.fromEntries(hit)).toMatchObject({
    en: 'web_vitals',
    'ep.metric_name': 'LCP',
    'ep.metric_rating': 'needs-improvement',
    'epn.metric_value': '2600',
  })
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 3_600_001])('a web vital of %d is dropped', value => {
  const event = { type: 'vital', path: '/', name: 'CLS', value }
  expect(telemetryBody.safeParse({ visit: 1, started_at: 1, events: [event] }).success).toBe(false)
})
