'use client'

import { lazy, Suspense } from 'react'

const PageTelemetry = lazy(async () => ({ default: (await import('./page-telemetry')).PageTelemetry }))

/** Loaded only if the operator has configured analytics. */
export function LazyPageTelemetry() {
  return (
    <Suspense>
      <PageTelemetry />
    </Suspense>
  )
}

const VercelInsights = lazy(async () => ({ default: (await import('./vercel-insights')).VercelInsights }))

/** Loaded only on Vercel, whose servers alone accept its requests. */
export function LazyVercelInsights() {
  return (
    <Suspense>
      <VercelInsights />
    </Suspense>
  )
}
