'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { observeVitals } from '@/lib/telemetry/client/observe-vitals'
import { sendTelemetry } from '@/lib/telemetry/client/send-telemetry'
import { pageOfPath } from '@/lib/telemetry/page-address'

/**
 * Reports a page view to the server on every route change, as specified, and the web vitals when the page is left. The
 * path is that of the address bar, including the language and without the query; all conversations count as one page.
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
    // Web vitals belong to the page that was loaded; later pages only replaced its content.
    const path = window.location.pathname
    return observeVitals(vitals => {
      sendTelemetry([...vitals].map(([name, value]) => ({ type: 'vital', path, name, value })))
    })
  }, [])
  return null
}
