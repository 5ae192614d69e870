'use client'

import { lazy } from 'react'

/**
 * Its code reaches the browser only where an operator has set up sign-in. Plain `lazy`: what
 * `next/dynamic` adds would be fetched by every visitor of every page. And no Suspense around it: the
 * server would send the whole page hidden, for a script to show.
 */
export const LazyAuthProvider = lazy(async () => ({
  default: (await import('@/components/auth/auth-provider')).AuthProvider,
}))
