'use client'

import { lazy, Suspense } from 'react'

const VercelInsights = lazy(async () => ({ default: (await import('./vercel-insights')).VercelInsights }))

/** Its code reaches the browser only on Vercel, whose servers alone answer it. */
export function LazyVercelInsights() {
  return (
    <Suspense>
      <VercelInsights />
    </Suspense>
  )
}
