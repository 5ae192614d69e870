'use client'

import { type ComponentProps, lazy, Suspense } from 'react'

const AuthProvider = lazy(async () => ({
  default: (await import('@/components/auth/auth-provider')).AuthProvider,
}))

/**
 * Its code reaches the browser only where an operator has set up sign-in. Plain `lazy`: what
 * `next/dynamic` adds would be fetched by every visitor of every page.
 */
export function LazyAuthProvider(props: ComponentProps<typeof AuthProvider>) {
  return (
    <Suspense>
      <AuthProvider {...props} />
    </Suspense>
  )
}
