'use client'

import { type ComponentProps, lazy } from 'react'

const AuthProvider = lazy(async () => ({
  default: (await import('@/components/auth/auth-provider')).AuthProvider,
}))

/**
 * Its code reaches the browser only where an operator has set up sign-in. Plain `lazy`: what
 * `next/dynamic` adds would be fetched by every visitor of every page. And no Suspense around it: the
 * server would send the whole page hidden, for a script to show.
 *
 * A function, because a page that names a lazy component itself gets it lazily once more, and React refuses.
 */
export function LazyAuthProvider(props: ComponentProps<typeof AuthProvider>) {
  return <AuthProvider {...props} />
}
