'use client'

import { type ComponentProps, lazy, Suspense } from 'react'

const ConsentedAnalytics = lazy(async () => ({
  default: (await import('./consented-analytics')).ConsentedAnalytics,
}))

/** Its code reaches the browser only where an operator prefers the tag. */
export function LazyConsentedAnalytics(props: ComponentProps<typeof ConsentedAnalytics>) {
  return (
    <Suspense>
      <ConsentedAnalytics {...props} />
    </Suspense>
  )
}
