'use client'

import { lazy, Suspense } from 'react'

const PageTelemetry = lazy(async () => ({ default: (await import('./page-telemetry')).PageTelemetry }))

/** Its code reaches the browser only where an operator has set up analytics. */
export function LazyPageTelemetry() {
  return (
    <Suspense>
      <PageTelemetry />
    </Suspense>
  )
}

const VercelInsights = lazy(async () => ({ default: (await import('./vercel-insights')).VercelInsights }))

/** Its code reaches the browser only on Vercel, whose servers alone answer it. */
export function LazyVercelInsights() {
  return (
    <Suspense>
      <VercelInsights />
    </Suspense>
  )
}
