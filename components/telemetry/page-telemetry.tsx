'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { observeVitals } from '@/lib/telemetry/client/observe-vitals'
import { sendTelemetry } from '@/lib/telemetry/client/send-telemetry'
import { pageOfPath } from '@/lib/telemetry/page-address'

/**
 * Tells the server of a page view on every route change, as specified, and how the page felt
 * when it is left. The path is told as it stands in the address bar, language included, without its query; all
 * conversations are one page.
 */
export function PageTelemetry() {
  const page = pageOfPath(usePathname())
  const views = useRef({ count: 0, page: '' })

  useEffect(() => {
    if (views.current.page === page) return
    const count = views.current.count + 1
    views.current = { count, page }
    sendTelemetry([{ type: 'page_view', path: page, count }])
  }, [page])

  useEffect(() => {
    // The page that was loaded; those after it only changed what it shows.
    const path = window.location.pathname
    return observeVitals(vitals => {
      sendTelemetry([...vitals].map(([name, value]) => ({ type: 'vital', path, name, value })))
    })
  }, [])
  return null
}
