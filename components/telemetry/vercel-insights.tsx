'use client'

import { Analytics, type BeforeSendEvent } from '@vercel/analytics/next'
import { SpeedInsights } from '@vercel/speed-insights/next'
import { pageOfPath } from '@/lib/telemetry/page-address'

/**
 * Vercel's page views and speed insights, counted by the host that serves the page anyway, from the page's own origin.
 * Of the address, only the page is sent.
 */
export function VercelInsights() {
  return (
    <>
      <Analytics beforeSend={namePageOnly} />
      <SpeedInsights beforeSend={namePageOnly} />
    </>
  )
}

function namePageOnly<Event extends Pick<BeforeSendEvent, 'url'> & { route?: string }>(event: Event): Event {
  const { origin, pathname } = new URL(event.url, window.location.origin)
  return {
    ...event,
    url: `${origin}${pageOfPath(pathname)}`,
    ...(event.route && { route: pageOfPath(event.route) }),
  }
}
