'use client'

import { type ComponentProps, lazy, Suspense } from 'react'

const ConsentedAnalytics = lazy(async () => ({
  default: (await import('./consented-analytics')).ConsentedAnalytics,
}))

/** Loaded only if the operator has configured the tag. */
export function LazyConsentedAnalytics(props: ComponentProps<typeof ConsentedAnalytics>) {
  return (
    <Suspense>
      <ConsentedAnalytics {...props} />
    </Suspense>
  )
}
